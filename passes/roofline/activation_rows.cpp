// Activations: elementwise functions of several operations. The number of operations per element follows from the
// formula in ONNX's definition, written with one operation for each of its signs, functions and selections.
#include <algorithm>
#include <array>
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

template <int64_t kFlops>
void activation(OperatorWork& work) {
  work.vector(Amount(kFlops) * work.resultElements());
}

constexpr int64_t kErfGelu = 5, kTanhGelu = 9;

/// 0.5 x (1 + erf(x / sqrt(2))); or 0.5 x (1 + tanh(c (x + a x x x))).
void gelu(OperatorWork& work) {
  work.vector(Amount(work.text("approximate", "none") == "tanh" ? kTanhGelu : kErfGelu) * work.resultElements());
}

void biasGelu(OperatorWork& work) { work.vector(Amount(kErfGelu + 1) * work.resultElements()); }

void fastGelu(OperatorWork& work) { work.vector(Amount(kTanhGelu + int64_t{work.has(1)}) * work.resultElements()); }

// Rows of activations by their operations per element.
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

constexpr OperatorRow kActivationRows[] = {
    {"", "Celu", activation<7>, "7 per element: max(0, x) + min(0, a (exp(x / a) - 1))"},
    {"", "Elu", activation<4>, "4 per element: x < 0 ? a (exp(x) - 1) : x"},
    {"", "Gelu", gelu, "5 per element: x (1 + erf(x / sqrt(2))) / 2; 9 with `approximate=tanh`"},
    {"", "HardSigmoid", activation<4>, "4 per element: max(0, min(1, a x + b))"},
    {"", "HardSwish", activation<5>, "5 per element: x max(0, min(1, a x + b))"},
    {"", "LeakyRelu PRelu", activation<2>, "2 per element: x < 0 ? a x : x"},
    {"", "Mish", activation<5>, "5 per element: x tanh(log(1 + exp(x)))"},
    {"", "Relu Tanh ThresholdedRelu", activation<1>, "1 per element"},
    {"", "Selu", activation<5>, "5 per element: g (x > 0 ? x : a (exp(x) - 1))"},
    {"", "Sigmoid", activation<4>, "4 per element: 1 / (1 + exp(-x))"},
    {"", "Softplus", activation<3>, "3 per element: log(1 + exp(x))"},
    {"", "Softsign", activation<3>, "3 per element: x / (1 + abs(x))"},
    {"", "Swish", activation<5>, "5 per element: x / (1 + exp(-a x))"},
    {"com.microsoft", "BiasGelu", biasGelu, "6 per element: `Gelu` and the sum"},
    {"com.microsoft", "FastGelu", fastGelu, "9 per element: `Gelu` with tanh; 1 for a bias"},
    {"com.microsoft", "Gelu", activation<kErfGelu>, "5 per element: `Gelu`"},
    {"com.microsoft", "QuickGelu", activation<6>, "6 per element: x / (1 + exp(-a x)) with a product"},
};

}  // namespace

std::span<const OperatorRow> activationRows() { return kActivationRows; }

std::optional<int64_t> activationFlops(std::string_view type) {
  const auto found = std::find_if(std::begin(kActivations), std::end(kActivations),
                                  [&](const ActivationFlops& known) { return known.type == type; });
  return found != std::end(kActivations) ? std::optional(found->flops) : std::nullopt;
}

}  // namespace amdahlc
