// Operators that compute each element of the result from the elements of the operands at its place. An arithmetic
// operation, a comparison, a selection and a function such as `Exp` are one operation each. An activation has as many
// per element as the formula in ONNX's definition, written with one operation for each of its signs, functions and
// selections.
#include <algorithm>
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// One operation for each operand beyond the first.
void perOperandPair(OperatorWork& work) {
  work.vector(work.resultElements() * (Amount(static_cast<int64_t>(work.operands())) - Amount(1)));
}

/// The sum of n operands and a division.
void meanOfOperands(OperatorWork& work) {
  work.vector(work.resultElements() * Amount(static_cast<int64_t>(work.operands())));
}

void clip(OperatorWork& work) {
  const bool hasLow = work.has(1) || work.hasAttribute("min"), hasHigh = work.has(2) || work.hasAttribute("max");
  work.vector(work.resultElements() * Amount(int64_t{hasLow} + int64_t{hasHigh}));
}

constexpr int64_t kErfGelu = 5, kTanhGelu = 9;

/// 0.5 x (1 + erf(x / sqrt(2))); or 0.5 x (1 + tanh(c (x + a x x x))).
void gelu(OperatorWork& work) {
  work.vector(Amount(work.text("approximate", "none") == "tanh" ? kTanhGelu : kErfGelu) * work.resultElements());
}

// Activations that attributes of other operators name, by their operations per element.
struct ActivationFlops {
  std::string_view type;
  int64_t flops;
};
constexpr ActivationFlops kActivations[] = {
    {"Affine", 2},       // a x + b
    {"Clip", 2},         // min(max(x, a), b)
    {"HardSigmoid", 4},  // max(0, min(1, a x + b))
    {"LeakyRelu", 2},    // x < 0 ? a x : x
    {"Relu", 1},         // max(x, 0)
    {"ScaledTanh", 3},   // a tanh(b x)
    {"Sigmoid", 4},      // 1 / (1 + exp(-x))
    {"Softplus", 3},     // log(1 + exp(x))
    {"Softsign", 3},     // x / (1 + |x|)
    {"Tanh", 1},         // tanh(x)
};

constexpr OperatorRow kElementwiseRows[] = {
    {"",
     "Abs Acos Acosh Add And Asin Asinh Atan Atanh BitShift BitwiseAnd BitwiseNot BitwiseOr BitwiseXor "
     "Ceil Cos Cosh Div Equal Erf Exp Floor Greater GreaterOrEqual IsInf IsNaN Less LessOrEqual Log Mod "
     "Mul Neg Not Or Pow Reciprocal Relu Round Sign Sin Sinh Sqrt Sub Tan Tanh ThresholdedRelu Where Xor",
     perResult<1>, "1 per element"},
    {"", "Celu", perResult<7>, "7 per element: max(0, x) + min(0, a (exp(x / a) - 1))"},
    {"", "Clip", clip, "1 per element and bound"},
    {"", "Elu", perResult<4>, "4 per element: x < 0 ? a (exp(x) - 1) : x"},
    {"", "Gelu", gelu, "5 per element: x (1 + erf(x / sqrt(2))) / 2; 9 with `approximate=tanh`"},
    {"", "HardSigmoid", perResult<4>, "4 per element: max(0, min(1, a x + b))"},
    {"", "HardSwish", perResult<5>, "5 per element: x max(0, min(1, a x + b))"},
    {"", "LeakyRelu PRelu", perResult<2>, "2 per element: x < 0 ? a x : x"},
    {"", "Max Min Sum", perOperandPair, "1 per element and operand beyond the first"},
    {"", "Mean", meanOfOperands, "1 per element and operand"},
    {"", "Mish", perResult<5>, "5 per element: x tanh(log(1 + exp(x)))"},
    {"", "Selu", perResult<5>, "5 per element: g (x > 0 ? x : a (exp(x) - 1))"},
    {"", "Sigmoid", perResult<4>, "4 per element: 1 / (1 + exp(-x))"},
    {"", "Softplus", perResult<3>, "3 per element: log(1 + exp(x))"},
    {"", "Softsign", perResult<3>, "3 per element: x / (1 + abs(x))"},
    {"", "Swish", perResult<5>, "5 per element: x / (1 + exp(-a x))"},
    {"com.microsoft", "BiasGelu", perResult<kErfGelu + 1>, "6 per element: `Gelu` and the sum"},
    {"com.microsoft", "FastGelu", perResult<kTanhGelu, 1>, "9 per element: `Gelu` with tanh; 1 for a bias"},
    {"com.microsoft", "Gelu", perResult<kErfGelu>, "5 per element: `Gelu`"},
    {"com.microsoft", "QuickGelu", perResult<6>, "6 per element: x / (1 + exp(-a x)) with a product"},
};

}  // namespace

std::span<const OperatorRow> elementwiseRows() { return kElementwiseRows; }

std::optional<int64_t> activationFlops(std::string_view type) {
  const auto found = std::find_if(std::begin(kActivations), std::end(kActivations),
                                  [&](const ActivationFlops& known) { return known.type == type; });
  return found != std::end(kActivations) ? std::optional(found->flops) : std::nullopt;
}

}  // namespace amdahlc
