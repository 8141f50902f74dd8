// Products of quantised matrices, and quantisation. The product is work in the type of the second matrix, the weights.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

// The product with the scale, rounding, the sum with the zero point.
constexpr int64_t kRequantize = 3;

/// Whose matrices are the operands 0 and `weights`.
void addProduct(OperatorWork& work, size_t weights) {
  work.matrix(Amount(2) * work.resultElements() * work.dim(0, -1), weights);
}

void matMulInteger(OperatorWork& work) { addProduct(work, 1); }

void qLinearMatMul(OperatorWork& work) {
  addProduct(work, 3);
  work.vector(Amount(kRequantize) * work.resultElements());
}

/// (A, B, scale, zero point, bias): A is quantised first.
void dynamicQuantizeMatMul(OperatorWork& work) {
  addProduct(work, 1);
  work.vector(Amount(2 + kRequantize) * work.elements(0));
  work.vector(Amount(1 + int64_t{work.has(4)}) * work.resultElements());
}

/// (A, B, scale A, scale B, zero A, zero B, bias)
void matMulIntegerToFloat(OperatorWork& work) {
  addProduct(work, 1);
  work.vector(Amount(1 + int64_t{work.has(6)}) * work.resultElements());
}

/// (A, scale, zero, B, scale, zero, C, scale, zero)
void qGemm(OperatorWork& work) {
  work.matrix(Amount(2) * work.resultElements() * work.dim(0, work.integer("transA", 0) != 0 ? 0 : 1), 3);
  work.vector(Amount((work.has(7) ? kRequantize : 1) + int64_t{work.has(6)}) * work.resultElements());
}

void quantize(OperatorWork& work) { work.vector(Amount(kRequantize) * work.elements(0)); }
void dequantize(OperatorWork& work) { work.vector(Amount(2) * work.elements(0)); }
void dynamicQuantize(OperatorWork& work) { work.vector(Amount(2 + kRequantize) * work.elements(0)); }

/// (A, scale, zero, B, scale, zero, scale, zero): both to numbers, the operation, and back.
void qLinearBinary(OperatorWork& work) { work.vector(Amount(2 + 2 + 1 + kRequantize) * work.resultElements()); }

constexpr OperatorRow kQuantizedRows[] = {
    {"", "DequantizeLinear", dequantize, "2 per element"},
    {"", "DynamicQuantizeLinear", dynamicQuantize, "5 per element"},
    {"", "MatMulInteger", matMulInteger, "2 M N K per matrix"},
    {"", "QLinearMatMul", qLinearMatMul, "2 M N K per matrix; 3 M N to quantise"},
    {"", "QuantizeLinear", quantize, "3 per element"},
    {"com.microsoft", "DequantizeLinear", dequantize, "2 per element"},
    {"com.microsoft", "DynamicQuantizeMatMul", dynamicQuantizeMatMul,
     "2 M N K per matrix; 5 M K to quantise; M N for the scale and for a bias"},
    {"com.microsoft", "MatMulIntegerToFloat", matMulIntegerToFloat,
     "2 M N K per matrix; M N for the scale and for a bias"},
    {"com.microsoft", "QGemm", qGemm, "2 M N K; M N for the scale, or 3 M N to quantise; M N for C"},
    {"com.microsoft", "QLinearAdd QLinearMul", qLinearBinary, "8 per element"},
    {"com.microsoft", "QuantizeLinear", quantize, "3 per element"},
};

}  // namespace

std::span<const OperatorRow> quantizedRows() { return kQuantizedRows; }

}  // namespace amdahlc
