// Reductions, pooling and normalisations. What is done once for each row or channel, such as a square root, is not
// counted.
#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

// Per element: the sum for the mean; the difference, its square and the sum for the variance; the product.
constexpr int64_t kNormalize = 5;
// The square, the sum, the product.
constexpr int64_t kRmsNormalize = 3;

/// Results, each of a window. Where the window is over an edge, its whole size counts.
void pool(OperatorWork& work) {
  const auto window = work.integers("kernel_shape");
  if (!window) return work.unknownForm();
  Amount taps = 1;
  for (const int64_t size : *window) taps = taps * Amount(size);
  work.vector(work.resultElements() * taps);
}

void lpPool(OperatorWork& work) {
  pool(work);
  pool(work);
}

/// Of each element the squares of `size` neighbours are summed, scaled, shifted, raised to a power, and divide it.
void localResponse(OperatorWork& work) {
  work.vector((Amount(2) * Amount(work.integer("size", 1)) + Amount(4)) * work.elements(0));
}

/// (ids, segment ids, words, positions, segments, gamma, beta, mask)
void embedLayerNormalization(OperatorWork& work) {
  const Amount rows = work.resultBytes(), hidden = work.resultDim(0, -1);
  perResult<kNormalize + 2 + 1, 4>(work);
  work.reads(2, smaller(rows, work.bytes(2)));
  // The positions of a sequence are the same in all sequences, unless they are given.
  const Amount sequence = work.dim(0, -1), positions = work.bytes(3);
  const Amount used = work.has(8) ? rows : sequence * hidden * work.elementBytes(3);
  work.reads(3, smaller(used, positions));
  if (work.has(4)) work.reads(4, smaller(rows, work.bytes(4)));
}

/// In inference the statistics and the scale are one factor and one summand for each channel.
void batchNormalization(OperatorWork& work) {
  if (work.integer("training_mode", 0) != 0)
    perElement<kNormalize + 2>(work);
  else
    perElement<2>(work);
}

/// With `activation` the product with the sigmoid.
void groupNorm(OperatorWork& work) {
  const int64_t activation = work.integer("activation", 0) != 0 ? *activationFlops("Sigmoid") + 1 : 0;
  work.vector(Amount(kNormalize + 2 + activation) * work.elements(0));
}

constexpr std::string_view kOnePerOperand = "1 per element of the operand";
constexpr std::string_view kTwoPerOperand = "2 per element of the operand";
constexpr std::string_view kWindow = "1 per result and element of its window";
constexpr std::string_view kLayer = "5 per element; 1 each for scale and bias";
constexpr std::string_view kRms = "3 per element; 1 for the scale";

constexpr OperatorRow kReductionRows[] = {
    {"",
     "ArgMax ArgMin CumSum GlobalAveragePool GlobalMaxPool Hardmax NonZero ReduceLogSum ReduceMax "
     "ReduceMean ReduceMin ReduceProd ReduceSum TopK",
     perElement<1>, kOnePerOperand},
    {"", "AveragePool MaxPool", pool, kWindow},
    {"", "BatchNormalization", batchNormalization, "2 per element; 7 in training"},
    {"", "GlobalLpPool ReduceL1 ReduceL2 ReduceSumSquare", perElement<2>, kTwoPerOperand},
    {"", "GroupNormalization InstanceNormalization", perElement<kNormalize + 2>, "7 per element"},
    {"", "LRN", localResponse, "4 per element, and 2 per neighbour"},
    {"", "LayerNormalization", perElement<kNormalize, 1, 2>, kLayer},
    // The largest, the difference, exp, the sum, the division or the difference of the logarithm.
    {"", "LogSoftmax Softmax", perElement<5>, "5 per element"},
    // Of `p` the squares or absolute values are summed, then each element is divided.
    {"", "LpNormalization", perElement<3>, "3 per element"},
    {"", "LpPool", lpPool, "2 per result and element of its window"},
    {"", "MeanVarianceNormalization", perElement<kNormalize>, "5 per element"},
    {"", "OneHot", perResult<1>, "1 per element"},
    {"", "RMSNormalization", perElement<kRmsNormalize, 1>, kRms},
    {"", "ReduceLogSumExp", perElement<4>, "4 per element of the operand: the largest, the difference, exp, the sum"},
    {"*", "SimplifiedLayerNormalization", perElement<kRmsNormalize, 1>, kRms},
    {"com.microsoft", "EmbedLayerNormalization", embedLayerNormalization, "8 per element; 1 for segments",
     "of the tables the rows that are used"},
    {"com.microsoft", "GroupNorm", groupNorm, "7 per element; 5 for an activation"},
    // (input, skip, gamma, beta, bias)
    {"com.microsoft", "SkipLayerNormalization", perElement<kNormalize + 1, 2, 3, 4>,
     "6 per element; 1 each for scale, bias and summand"},
    // (input, skip, gamma, bias)
    {"com.microsoft", "SkipSimplifiedLayerNormalization", perElement<kRmsNormalize + 1, 2, 3>,
     "4 per element; 1 each for scale and summand"},
    {"com.microsoft.nchwc", "AveragePool MaxPool", pool, kWindow},
    {"com.microsoft.nchwc", "GlobalAveragePool", perElement<1>, kOnePerOperand},
};

}  // namespace

std::span<const OperatorRow> reductionRows() { return kReductionRows; }

}  // namespace amdahlc
