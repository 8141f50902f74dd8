// Operators that select, move or make elements and compute none: what they need of their operands.
#include <algorithm>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {

Amount lowerTriangle(Amount rows, Amount columns, int64_t diagonal) {
  if (!rows.isKnown() || !columns.isKnown()) return rows + columns;
  // Row i has the elements up to column i + diagonal: min(max(i + diagonal + 1, 0), columns) of them.
  const __int128 r = *rows, c = *columns, d = diagonal;
  const __int128 empty = std::clamp<__int128>(-d, 0, r);
  const __int128 firstFull = std::clamp<__int128>(c - 1 - d, empty, r);
  const __int128 first = empty + d + 1, last = firstFull + d;
  const __int128 sum = (firstFull > empty ? (first + last) * (firstFull - empty) / 2 : 0) + (r - firstFull) * c;
  const __int128 most = __int128{1} << 62;
  return sum > most ? Amount(int64_t{1} << 62) * Amount(4) : Amount(static_cast<int64_t>(sum));
}

namespace {

void move(OperatorWork&) {}

/// Of the second operand only the type counts.
void ofFirst(OperatorWork& work) { work.reads(1, 0); }

/// Only a name: nothing is read or written.
void view(OperatorWork& work) { work.renames(); }

/// What is computed on the host, or by the kernels of a body.
void noWork(OperatorWork& work) { work.isNoDeviceWork(); }

void made(OperatorWork& work) { work.readsNothing(); }

void range(OperatorWork& work) {
  work.readsNothing();
  work.vector(Amount(2) * work.resultElements());
}

/// The elements that the result has, at most all.
void selection(OperatorWork& work) { work.reads(0, smaller(work.bytes(0), work.resultBytes())); }

void split(OperatorWork& work) {
  Amount sum = 0;
  for (size_t result = 0; result < work.results(); ++result)
    if (work.hasResult(result)) sum = sum + work.resultBytes(result);
  work.reads(0, smaller(work.bytes(0), sum));
}

/// Updates go to their places in the data, which stays where it is.
void scatter(OperatorWork& work) {
  const Amount updates = work.bytes(2);
  const bool combines = work.text("reduction", "none") != "none";
  work.reads(0, combines ? smaller(updates, work.bytes(0)) : Amount(0));
  if (combines) work.vector(work.elements(2));
  work.writes(0, smaller(updates, work.resultBytes()));
}

/// The upper or lower triangle; the rest is zeros.
void trilu(OperatorWork& work) {
  const Amount rows = work.dim(0, -2), columns = work.dim(0, -1), all = work.elements(0);
  const auto given = work.onlyElement(1, 0);
  if (!given || *rows == 0 || *columns == 0) return;
  // Beyond a side of the matrix it is the same as there.
  const auto diagonal = std::clamp<int64_t>(*given, -*rows, *columns);
  const Amount matrices = all / (rows * columns);
  const Amount lower = lowerTriangle(rows, columns, work.integer("upper", 1) != 0 ? diagonal - 1 : diagonal);
  const Amount kept = work.integer("upper", 1) != 0 ? rows * columns - lower : lower;
  work.reads(0, work.elementBytes(0) * matrices * kept);
  work.reads(1, 0);
}

void dropout(OperatorWork& work) {
  const auto training = work.constantIntegers(2);
  if (work.has(2) && !training) return work.unknownElements(2);
  if (!training || training->empty() || training->front() == 0) {
    view(work);
    if (work.hasResult(1)) work.writes(1, work.resultBytes(1));
    return;
  }
  work.vector(Amount(2) * work.resultElements());
}

constexpr std::string_view kNone = "none";
constexpr std::string_view kSelected = "of the data as much as the result has";

constexpr OperatorRow kMovementRows[] = {
    {"", "Cast Concat DepthToSpace Expand Pad ReverseSequence SpaceToDepth Tile Transpose", move, kNone},
    {"", "CastLike", ofFirst, kNone, "of the second operand none"},
    {"", "Constant Shape Size", noWork, kNone, kNone},
    {"", "ConstantOfShape EyeLike", made, kNone, "the result"},
    {"", "Dropout", dropout, "none in inference, where it is a name; else 2 per element", "none in inference"},
    {"", "Flatten Identity Reshape Squeeze Unsqueeze", view, kNone, kNone},
    {"", "Gather GatherElements GatherND Slice", selection, kNone, kSelected},
    {"", "If Loop Scan", noWork, "those of its body's kernels", kNone},
    {"", "Range", range, "2 per element", "the result"},
    {"", "ScatterElements ScatterND", scatter, "1 per update with a `reduction`, else none",
     "indices and updates, and as much of the result as there are updates; the data stays in place"},
    {"", "Split", split, kNone, kSelected},
    {"", "Trilu", trilu, kNone, "the triangle, and the result"},
    {"com.microsoft.nchwc", "ReorderInput ReorderOutput", move, kNone},
};

}  // namespace

std::span<const OperatorRow> movementRows() { return kMovementRows; }

}  // namespace amdahlc
