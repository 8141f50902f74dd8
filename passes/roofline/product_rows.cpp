// Products of matrices in floating point. M, N and K are the rows of the first matrix, the columns of the second one
// and what they share; a multiply-add is two operations.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// Each element of the result is a sum over K.
void matMul(OperatorWork& work) { work.matrix(Amount(2) * work.resultElements() * work.dim(0, -1)); }

/// The sum over K of operands that may be transposed; `alpha` is a product for each result.
void fusedMatMul(OperatorWork& work) {
  const bool isTransposed = work.integer("transA", 0) != 0 && work.rank(0) > 1;
  const bool isBatchTransposed = work.integer("transBatchA", 0) != 0;
  const Amount shared = work.dim(0, !isTransposed ? -1 : isBatchTransposed ? 0 : -2);
  work.matrix(Amount(2) * work.resultElements() * shared);
  if (work.number("alpha", 1) != 1) work.vector(work.resultElements());
}

void addGemm(OperatorWork& work) {
  work.matrix(Amount(2) * work.resultElements() * work.dim(0, work.integer("transA", 0) != 0 ? 0 : 1));
  int64_t perResult = work.number("alpha", 1) != 1 ? 1 : 0;
  if (work.has(2) && work.number("beta", 1) != 0) perResult += work.number("beta", 1) != 1 ? 2 : 1;
  if (work.has(2) && work.number("beta", 1) == 0) work.reads(2, 0);
  work.vector(Amount(perResult) * work.resultElements());
}

void gemm(OperatorWork& work) { addGemm(work); }

void fusedGemm(OperatorWork& work) {
  addGemm(work);
  const auto activation = activationFlops(work.text("activation", ""));
  if (!activation) return work.unknown(UnknownWork::Kind::Form);
  work.vector(Amount(*activation) * work.resultElements());
}

/// The indices of each operand and of the result, `ij,jk->ik`; nullopt with an ellipsis.
std::optional<std::vector<std::string>> indicesOf(std::string_view equation, size_t operands) {
  std::vector<std::string> all(1);
  bool hasResult = false;
  for (size_t at = 0; at < equation.size(); ++at) {
    const char c = equation[at];
    if (c == ' ') continue;
    if (c == '-' && at + 1 < equation.size() && equation[at + 1] == '>' && !hasResult) {
      hasResult = true;
      all.emplace_back();
      ++at;
    } else if (c == ',' && !hasResult) {
      all.emplace_back();
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      all.back() += c;
    } else {
      return std::nullopt;
    }
  }
  if (all.size() != operands + (hasResult ? 1 : 0)) return std::nullopt;
  if (!hasResult) {
    std::map<char, int> count;
    for (const std::string& indices : all)
      for (const char index : indices) ++count[index];
    all.emplace_back();
    for (const auto& [index, times] : count)
      if (times == 1) all.back() += index;
  }
  return all;
}

/// Of two operands: a multiply-add for each combination of all indices; a product where nothing is summed. Of one: an
/// addition for each element where something is.
void einsum(OperatorWork& work) {
  const auto indices = indicesOf(work.text("equation", ""), work.operands());
  if (!indices || work.operands() > 2) return work.unknown(UnknownWork::Kind::Form);
  std::map<char, Amount> sizes;
  for (size_t operand = 0; operand < work.operands(); ++operand) {
    const std::string& names = (*indices)[operand];
    if (work.rank(operand) != static_cast<int64_t>(names.size())) return work.unknown(UnknownWork::Kind::Form);
    for (size_t axis = 0; axis < names.size(); ++axis) {
      const Amount size = work.dim(operand, static_cast<int64_t>(axis));
      const auto [known, isNew] = sizes.emplace(names[axis], size);
      if (!isNew) known->second = larger(known->second, size);
    }
  }
  Amount combinations = 1;
  bool isSum = false;
  for (const auto& [name, size] : sizes) {
    combinations = combinations * size;
    isSum |= indices->back().find(name) == std::string::npos;
  }
  if (work.operands() == 2 && isSum)
    work.matrix(Amount(2) * combinations);
  else if (work.operands() == 2 || isSum)
    work.vector(combinations);
}

/// The weights are unpacked: a difference and a product for each.
void matMulNBits(OperatorWork& work) {
  const Amount columns = work.integer("N", -1), shared = work.integer("K", -1);
  if (!columns.isKnown() || !shared.isKnown()) return work.unknown(UnknownWork::Kind::Form);
  work.matrix(Amount(2) * work.elements(0) * columns);
  work.vector(Amount(2) * columns * shared);
  if (work.has(5)) work.vector(work.resultElements());
}

constexpr std::string_view kMatMul = "2 M N K per matrix";

constexpr OperatorRow kProductRows[] = {
    {"", "Einsum", einsum,
     "of two operands 2 per combination of all indices (1 where nothing is summed), of one 1 per element that is "
     "summed; "
     "others are not covered"},
    {"", "Gemm", gemm, "2 M N K; M N for `alpha`; for C M N, or 2 M N with `beta`"},
    {"", "MatMul", matMul, kMatMul},
    {"com.microsoft", "FusedGemm", fusedGemm, "as `Gemm`, and the activation"},
    {"com.microsoft", "FusedMatMul TransposeMatMul", fusedMatMul, "2 M N K per matrix; M N for `alpha`"},
    {"com.microsoft", "MatMulNBits", matMulNBits, "2 M N K; 2 N K for unpacking; M N for a bias"},
};

}  // namespace

std::span<const OperatorRow> productRows() { return kProductRows; }

}  // namespace amdahlc
