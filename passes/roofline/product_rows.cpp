// Sums of products: products of matrices, in floating point and quantised, convolutions, and recurrent operators. M, N
// and K are the rows of the first matrix, the columns of the second one and what they share; a multiply-add is two
// operations. The product of quantised matrices is work in the type of the second one, the weights.
#include <map>
#include <string>
#include <vector>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// Each element of the result is a sum over K. It is work in the type of the operand `kTyped`.
template <size_t kTyped>
void product(OperatorWork& work) {
  work.matrix(Amount(2) * work.resultElements() * work.dim(0, -1), kTyped);
}

/// The sum over K of operands that may be transposed; `alpha` is a product for each result.
void fusedMatMul(OperatorWork& work) {
  const bool isTransposed = work.integer("transA", 0) != 0 && work.rank(0) > 1;
  const bool isBatchTransposed = work.integer("transBatchA", 0) != 0;
  const Amount shared = work.dim(0, !isTransposed ? -1 : isBatchTransposed ? 0 : -2);
  work.matrix(Amount(2) * work.resultElements() * shared);
  if (work.number("alpha", 1) != 1) work.vector(work.resultElements());
}

/// Of two matrices, the second one of the operand `weights`.
void addGemmProduct(OperatorWork& work, size_t weights) {
  work.matrix(Amount(2) * work.resultElements() * work.dim(0, work.integer("transA", 0) != 0 ? 0 : 1), weights);
}

void gemm(OperatorWork& work) {
  addGemmProduct(work, 0);
  int64_t flops = work.number("alpha", 1) != 1 ? 1 : 0;
  if (work.has(2) && work.number("beta", 1) != 0) flops += work.number("beta", 1) != 1 ? 2 : 1;
  if (work.has(2) && work.number("beta", 1) == 0) work.reads(2, 0);
  work.vector(Amount(flops) * work.resultElements());
}

/// The activation that an attribute names.
void addActivation(OperatorWork& work) {
  const auto activation = activationFlops(work.text("activation", ""));
  if (!activation) return work.unknownForm();
  work.vector(Amount(*activation) * work.resultElements());
}

void fusedGemm(OperatorWork& work) {
  gemm(work);
  addActivation(work);
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
  if (!indices || work.operands() > 2) return work.unknownForm();
  std::map<char, Amount> sizes;
  for (size_t operand = 0; operand < work.operands(); ++operand) {
    const std::string& names = (*indices)[operand];
    if (work.rank(operand) != static_cast<int64_t>(names.size())) return work.unknownForm();
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
  if (!columns.isKnown() || !shared.isKnown()) return work.unknownForm();
  work.matrix(Amount(2) * work.elements(0) * columns);
  work.vector(Amount(2) * columns * shared);
  if (work.has(5)) work.vector(work.resultElements());
}

// The product with the scale, rounding, the sum with the zero point.
constexpr int64_t kRequantize = 3;

/// (A, scale, zero, B, scale, zero)
void qLinearMatMul(OperatorWork& work) {
  product<3>(work);
  perResult<kRequantize>(work);
}

/// (A, B, scale, zero point, bias): A is quantised first.
void dynamicQuantizeMatMul(OperatorWork& work) {
  product<1>(work);
  perElement<2 + kRequantize>(work);
  perResult<1, 4>(work);
}

/// (A, B, scale A, scale B, zero A, zero B, bias)
void matMulIntegerToFloat(OperatorWork& work) {
  product<1>(work);
  perResult<1, 6>(work);
}

/// (A, scale, zero, B, scale, zero, C, scale, zero)
void qGemm(OperatorWork& work) {
  addGemmProduct(work, 3);
  if (work.has(7))
    perResult<kRequantize, 6>(work);
  else
    perResult<1, 6>(work);
}

/// The elements of the weights for one channel of the result: all weights by their channels, whatever the groups.
Amount weightsOfChannel(OperatorWork& work, size_t weights) { return work.elements(weights) / work.dim(weights, 0); }

/// Each result is a sum over the weights of its channel, also where the window is over an edge.
template <size_t kWeights>
void convolution(OperatorWork& work) {
  work.matrix(Amount(2) * work.resultElements() * weightsOfChannel(work, kWeights), kWeights);
}

void conv(OperatorWork& work) {
  convolution<1>(work);
  perResult<0, 2>(work);
}

/// Operand 3 is added before the activation.
void fusedConv(OperatorWork& work) {
  conv(work);
  perResult<0, 3>(work);
  if (!work.text("activation", "").empty()) addActivation(work);
}

/// Each element of the operand is multiplied with the weights of its channel: those by the first axis.
void convTranspose(OperatorWork& work) {
  work.matrix(Amount(2) * work.elements(0) * weightsOfChannel(work, 1), 1);
  if (work.has(2)) perResult<1>(work);
}

/// (x, scale, zero, w, scale, zero, scale, zero, bias)
void qLinearConv(OperatorWork& work) {
  convolution<3>(work);
  perResult<kRequantize, 8>(work);
}

/// T steps, B sequences, D directions, I inputs, H hidden elements; each step has `gates`: products of I and of H
/// elements with H columns for each of them. `perCell` operations for each hidden element in each step, and `gates`
/// more for a bias, count gates and cells with the default activations. Weights are read once for all steps.
void recurrent(OperatorWork& work, int64_t gates, int64_t perCell) {
  const bool isBatchFirst = work.integer("layout", 0) != 0;
  const Amount steps = work.dim(0, isBatchFirst ? 1 : 0), batch = work.dim(0, isBatchFirst ? 0 : 1);
  const Amount inputs = work.dim(0, 2), hidden = work.dim(2, 2), directions = work.dim(2, 0);
  Amount stepsOfAll = steps * batch;
  if (work.has(4)) {
    const auto lengths = work.constantIntegers(4);
    if (!lengths) return work.unknownElements(4);
    stepsOfAll = 0;
    for (const int64_t length : *lengths) stepsOfAll = stepsOfAll + Amount(length);
  }
  const Amount cells = stepsOfAll * directions * hidden;
  work.matrix(Amount(2) * Amount(gates) * cells * (inputs + hidden));
  work.vector(cells * Amount(perCell + (work.has(3) ? gates : 0)));
}

/// Four sums of two products, three sigmoids, two tanh, f c + i g, o tanh(c); three peepholes are multiply-adds.
void lstm(OperatorWork& work) { recurrent(work, 4, 4 + 3 * 4 + 2 + 3 + 1 + (work.has(7) ? 6 : 0)); }

/// Three sums of two products, two sigmoids, tanh, r h, (1 - z) n + z h.
void gru(OperatorWork& work) { recurrent(work, 3, 3 + 2 * 4 + 1 + 1 + 4); }

/// A sum and tanh.
void rnn(OperatorWork& work) { recurrent(work, 1, 2); }

constexpr std::string_view kMatMul = "2 M N K per matrix";
constexpr std::string_view kConv = "2 per result and weight of its channel";
constexpr std::string_view kQLinearConv = "2 per result and weight of its channel; 3 per result, and 1 for a bias";
constexpr std::string_view kFusedConv = "as `Conv`; 1 per result for a summand; the activation";

constexpr OperatorRow kProductRows[] = {
    {"", "Conv", conv, "2 per result and weight of its channel; 1 per result for a bias"},
    {"", "ConvInteger", convolution<1>, kConv},
    {"", "ConvTranspose", convTranspose,
     "2 per element of the operand and weight of its channel; 1 per result for a bias"},
    {"", "DequantizeLinear", perElement<2>, "2 per element"},
    {"", "DynamicQuantizeLinear", perElement<2 + kRequantize>, "5 per element"},
    {"", "Einsum", einsum,
     "of two operands 2 per combination of all indices (1 where nothing is summed), of one 1 per element that is "
     "summed; others are not covered"},
    {"", "GRU", gru, "6 (I + H) and 17 per cell and step; 3 for a bias"},
    {"", "Gemm", gemm, "2 M N K; M N for `alpha`; for C M N, or 2 M N with `beta`"},
    {"", "LSTM", lstm, "8 (I + H) and 22 per cell and step; 4 for a bias, 6 for peepholes"},
    {"", "MatMul", product<0>, kMatMul},
    {"", "MatMulInteger", product<1>, kMatMul},
    {"", "QLinearConv", qLinearConv, kQLinearConv},
    {"", "QLinearMatMul", qLinearMatMul, "2 M N K per matrix; 3 M N to quantise"},
    {"", "QuantizeLinear", perElement<kRequantize>, "3 per element"},
    {"", "RNN", rnn, "2 (I + H) and 2 per cell and step; 1 for a bias"},
    {"com.microsoft", "DequantizeLinear", perElement<2>, "2 per element"},
    {"com.microsoft", "DynamicQuantizeMatMul", dynamicQuantizeMatMul,
     "2 M N K per matrix; 5 M K to quantise; M N for the scale and for a bias"},
    {"com.microsoft", "FusedConv NhwcFusedConv", fusedConv, kFusedConv},
    {"com.microsoft", "FusedGemm", fusedGemm, "as `Gemm`, and the activation"},
    {"com.microsoft", "FusedMatMul TransposeMatMul", fusedMatMul, "2 M N K per matrix; M N for `alpha`"},
    {"com.microsoft", "MatMulIntegerToFloat", matMulIntegerToFloat,
     "2 M N K per matrix; M N for the scale and for a bias"},
    {"com.microsoft", "MatMulNBits", matMulNBits, "2 M N K; 2 N K for unpacking; M N for a bias"},
    {"com.microsoft", "QGemm", qGemm, "2 M N K; M N for the scale, or 3 M N to quantise; M N for C"},
    // (A, scale, zero, B, scale, zero, scale, zero): both to numbers, the operation, and back.
    {"com.microsoft", "QLinearAdd QLinearMul", perResult<2 + 2 + 1 + kRequantize>, "8 per element"},
    {"com.microsoft", "QLinearConv", qLinearConv, kQLinearConv},
    {"com.microsoft", "QuantizeLinear", perElement<kRequantize>, "3 per element"},
    {"com.microsoft.nchwc", "Conv", fusedConv, kFusedConv},
};

}  // namespace

std::span<const OperatorRow> productRows() { return kProductRows; }

}  // namespace amdahlc
