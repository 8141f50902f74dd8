// Reductions and pooling.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

template <int64_t kFlops>
void perOperand(OperatorWork& work) {
  work.vector(Amount(kFlops) * work.elements(0));
}

/// Results, each of a window. Where the window is over an edge, its whole size counts.
void pool(OperatorWork& work) {
  const auto window = work.integers("kernel_shape");
  if (!window) return work.unknown(UnknownWork::Kind::Form);
  Amount taps = 1;
  for (const int64_t size : *window) taps = taps * Amount(size);
  work.vector(work.resultElements() * taps);
}

void lpPool(OperatorWork& work) {
  pool(work);
  pool(work);
}

void oneHot(OperatorWork& work) { work.vector(work.resultElements()); }

/// Of `p` the squares or absolute values are summed, then each element is divided.
void lpNormalization(OperatorWork& work) { work.vector(Amount(3) * work.elements(0)); }

/// Of each element the squares of `size` neighbours are summed, scaled, shifted, raised to a power, and divide it.
void localResponse(OperatorWork& work) {
  work.vector((Amount(2) * Amount(work.integer("size", 1)) + Amount(4)) * work.elements(0));
}

constexpr std::string_view kOnePerOperand = "1 per element of the operand";
constexpr std::string_view kTwoPerOperand = "2 per element of the operand";
constexpr std::string_view kWindow = "1 per result and element of its window";

constexpr OperatorRow kReductionRows[] = {
    {"",
     "ArgMax ArgMin CumSum GlobalAveragePool GlobalMaxPool Hardmax NonZero ReduceLogSum ReduceMax "
     "ReduceMean ReduceMin ReduceProd ReduceSum TopK",
     perOperand<1>, kOnePerOperand},
    {"", "AveragePool MaxPool", pool, kWindow},
    {"", "GlobalLpPool ReduceL1 ReduceL2 ReduceSumSquare", perOperand<2>, kTwoPerOperand},
    {"", "LRN", localResponse, "4 per element, and 2 per neighbour"},
    {"", "LpNormalization", lpNormalization, "3 per element"},
    {"", "LpPool", lpPool, "2 per result and element of its window"},
    {"", "OneHot", oneHot, "1 per element"},
    {"", "ReduceLogSumExp", perOperand<4>, "4 per element of the operand: the largest, the difference, exp, the sum"},
    {"com.microsoft.nchwc", "AveragePool MaxPool", pool, kWindow},
    {"com.microsoft.nchwc", "GlobalAveragePool", perOperand<1>, kOnePerOperand},
};

}  // namespace

std::span<const OperatorRow> reductionRows() { return kReductionRows; }

}  // namespace amdahlc
