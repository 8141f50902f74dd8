// Normalisations. What is done once for each row or channel, such as a square root, is not counted.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

// Per element: the sum for the mean; the difference, its square and the sum for the variance; the product.
constexpr int64_t kNormalize = 5;
// The square, the sum, the product.
constexpr int64_t kRmsNormalize = 3;

int64_t count(bool one) { return one ? 1 : 0; }

void layerNormalization(OperatorWork& work) {
  work.vector(Amount(kNormalize + count(work.has(1)) + count(work.has(2))) * work.elements(0));
}

void rmsNormalization(OperatorWork& work) {
  work.vector(Amount(kRmsNormalize + count(work.has(1))) * work.elements(0));
}

/// (input, skip, gamma, beta, bias)
void skipLayerNormalization(OperatorWork& work) {
  work.vector(Amount(kNormalize + 1 + count(work.has(2)) + count(work.has(3)) + count(work.has(4))) * work.elements(0));
}

/// (input, skip, gamma, bias)
void skipRmsNormalization(OperatorWork& work) {
  work.vector(Amount(kRmsNormalize + 1 + count(work.has(2)) + count(work.has(3))) * work.elements(0));
}

/// (ids, segment ids, words, positions, segments, gamma, beta, mask)
void embedLayerNormalization(OperatorWork& work) {
  const bool hasSegments = work.has(4);
  const Amount rows = work.resultBytes(), hidden = work.resultDim(0, -1);
  work.vector(Amount(kNormalize + 2 + 1 + count(hasSegments)) * work.resultElements());
  work.reads(2, smaller(rows, work.bytes(2)));
  // The positions of a sequence are the same in all sequences, unless they are given.
  const Amount sequence = work.dim(0, -1), positions = work.bytes(3);
  const Amount used = work.has(8) ? rows : sequence * hidden * (positions / larger(work.elements(3), 1));
  work.reads(3, smaller(used, positions));
  if (hasSegments) work.reads(4, smaller(rows, work.bytes(4)));
}

/// In inference the statistics and the scale are one factor and one summand for each channel.
void batchNormalization(OperatorWork& work) {
  if (work.integer("training_mode", 0) != 0)
    work.vector(Amount(kNormalize + 2) * work.elements(0));
  else
    work.vector(Amount(2) * work.elements(0));
}

void channelNormalization(OperatorWork& work) { work.vector(Amount(kNormalize + 2) * work.elements(0)); }

/// With `activation` the product with the sigmoid.
void groupNorm(OperatorWork& work) {
  const int64_t activation = work.integer("activation", 0) != 0 ? *activationFlops("Sigmoid") + 1 : 0;
  work.vector(Amount(kNormalize + 2 + activation) * work.elements(0));
}

/// The largest, the difference, exp, the sum, the division or the difference of the logarithm.
void softmax(OperatorWork& work) { work.vector(Amount(5) * work.elements(0)); }

void meanVariance(OperatorWork& work) { work.vector(Amount(kNormalize) * work.elements(0)); }

constexpr std::string_view kLayer = "5 per element; 1 each for scale and bias";
constexpr std::string_view kRms = "3 per element; 1 for the scale";

constexpr OperatorRow kNormalizationRows[] = {
    {"", "BatchNormalization", batchNormalization, "2 per element; 7 in training"},
    {"", "GroupNormalization InstanceNormalization", channelNormalization, "7 per element"},
    {"", "LayerNormalization", layerNormalization, kLayer},
    {"", "LogSoftmax Softmax", softmax, "5 per element"},
    {"", "MeanVarianceNormalization", meanVariance, "5 per element"},
    {"", "RMSNormalization", rmsNormalization, kRms},
    {"*", "SimplifiedLayerNormalization", rmsNormalization, kRms},
    {"com.microsoft", "EmbedLayerNormalization", embedLayerNormalization, "8 per element; 1 for segments",
     "of the tables the rows that are used"},
    {"com.microsoft", "GroupNorm", groupNorm, "7 per element; 5 for an activation"},
    {"com.microsoft", "SkipLayerNormalization", skipLayerNormalization,
     "6 per element; 1 each for scale, bias and summand"},
    {"com.microsoft", "SkipSimplifiedLayerNormalization", skipRmsNormalization,
     "4 per element; 1 each for scale and summand"},
};

}  // namespace

std::span<const OperatorRow> normalizationRows() { return kNormalizationRows; }

}  // namespace amdahlc
