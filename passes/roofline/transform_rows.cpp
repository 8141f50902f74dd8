// Transforms: Fourier, resizing, and positions as rotations.
#include <bit>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// The usual count of a fast transform of n complex numbers is 5 n log2 n (radix 2). The logarithm is rounded down.
Amount transformFlops(Amount transforms, Amount length, bool isReal) {
  if (!length.isKnown() || *length < 1) return length * transforms;
  const int64_t logarithm = std::bit_width(static_cast<uint64_t>(*length)) - 1;
  const Amount complex = Amount(5) * length * Amount(logarithm) * transforms;
  return isReal ? complex / Amount(2) : complex;
}

/// Until version 20 the axis is an attribute, counted with the real and imaginary part as the last one.
void dft(OperatorWork& work) {
  const auto axis = work.onlyElement(2, work.opset() >= 20 ? -2 : work.integer("axis", 1));
  if (!axis) return;
  const bool isReal = *work.dim(0, -1) == 1, isInverse = work.integer("inverse", 0) != 0;
  const Amount parts = work.dim(0, -1), before = work.dim(0, *axis);
  Amount length = work.integer("onesided", 0) != 0 && isInverse ? work.resultDim(0, *axis) : before;
  if (work.has(1)) {
    const auto given = work.onlyElement(1);
    if (!given) return;
    length = Amount(*given);
  }
  const Amount transforms = work.elements(0) / larger(parts * before, 1);
  work.vector(transformFlops(transforms, length, isReal));
}

/// (signal, step, window, length): a transform of each frame, and products with the window.
void stft(OperatorWork& work) {
  const bool isReal = *work.dim(0, -1) == 1 || work.rank(0) == 2;
  Amount length = 0;
  if (work.has(3)) {
    const auto given = work.onlyElement(3);
    if (!given) return;
    length = Amount(*given);
  } else if (work.has(2)) {
    length = work.dim(2, 0);
  } else {
    return work.unknownForm();
  }
  const Amount frames = work.resultDim(0, 0) * work.resultDim(0, 1);
  work.vector(transformFlops(frames, length, isReal));
  if (work.has(2)) work.vector(frames * length);
}

/// A multiply-add for each neighbour: 2 by axis for `linear`, 4 for `cubic`, of the axes that change.
void resize(OperatorWork& work) {
  const std::string_view mode = work.text("mode", "nearest");
  Amount neighbours = 1;
  const int64_t rank = work.rank(0);
  for (int64_t axis = 0; axis < rank; ++axis)
    if (*work.dim(0, axis) != *work.resultDim(0, axis)) neighbours = neighbours * Amount(mode == "cubic" ? 4 : 2);
  if (mode != "nearest") work.vector(Amount(2) * neighbours * work.resultElements());
  for (size_t operand = 1; operand < work.operands(); ++operand) work.reads(operand, 0);
  if (mode == "nearest") work.reads(0, smaller(work.bytes(0), work.resultBytes()));
}

/// Pairs of elements are rotated: 4 products and 2 sums for 2 elements. Of the tables of cosines and sines a row for
/// each position is needed.
void rotate(OperatorWork& work, size_t cosines, int64_t heads, Amount positions) {
  const Amount hidden = work.rank(0) == 4 ? work.dim(0, -1)
                        : heads > 0       ? work.dim(0, -1) / Amount(heads)
                                          : Amount(2) * work.dim(cosines, -1);
  const int64_t part = work.integer("rotary_embedding_dim", 0);
  const Amount rotated = part > 0 ? smaller(Amount(part), hidden) : hidden;
  work.vector(Amount(3) * (work.elements(0) / larger(hidden, 1)) * rotated);
  for (const size_t table : {cosines, cosines + 1})
    work.reads(table, smaller(work.bytes(table), positions * rotated / Amount(2) * work.elementBytes(table)));
}

/// (X, cosines, sines, positions): of three or four axes. Without positions the tables have a row for each.
void rotaryEmbedding(OperatorWork& work) {
  const Amount positions = work.has(3) ? work.elements(3) : work.dim(0, 0) * work.dim(0, work.rank(0) == 4 ? 2 : 1);
  rotate(work, 1, work.integer("num_heads", 0), positions);
}

/// (X, positions, cosines, sines): one position may stand for the first of a sequence.
void microsoftRotaryEmbedding(OperatorWork& work) {
  const Amount sequence = work.dim(0, work.rank(0) == 4 ? 2 : 1);
  const Amount given = work.elements(1);
  rotate(work, 2, work.integer("num_heads", 0), *given == 1 ? sequence : given);
}

constexpr OperatorRow kTransformRows[] = {
    {"", "DFT", dft, "5 n log2 n per transform of length n, the logarithm rounded down; half of it for real operands"},
    {"", "Resize", resize,
     "2 per result and neighbour, which are 2 (`linear`) or 4 (`cubic`) for each axis that changes; "
     "none for `nearest`",
     "operand and result; for `nearest` of the operand as much as the result has"},
    {"", "RotaryEmbedding", rotaryEmbedding, "3 per rotated element", "of the tables a row for each position"},
    {"", "STFT", stft, "as `DFT` for each frame; 1 per element of a window"},
    {"com.microsoft", "RotaryEmbedding", microsoftRotaryEmbedding, "3 per rotated element",
     "of the tables a row for each position"},
};

}  // namespace

std::span<const OperatorRow> transformRows() { return kTransformRows; }

}  // namespace amdahlc
