// Convolutions. Each result is a sum over the weights of its channel: 2 per weight, also where the window is over an
// edge. The weights of a channel are all weights by their channels, whatever the groups.
#include <iterator>

#include "passes/roofline/operator_rows.h"

namespace amdahlc {
namespace {

/// The elements of the weights for one channel of the result.
Amount weightsOfChannel(OperatorWork& work, size_t weights) { return work.elements(weights) / work.dim(weights, 0); }

void addConvolution(OperatorWork& work, size_t weights) {
  work.matrix(Amount(2) * work.resultElements() * weightsOfChannel(work, weights), weights);
}

void conv(OperatorWork& work) {
  addConvolution(work, 1);
  if (work.has(2)) work.vector(work.resultElements());
}

/// The name of the activation is an attribute; operand 3 is added before it.
void fusedConv(OperatorWork& work) {
  conv(work);
  if (work.has(3)) work.vector(work.resultElements());
  const std::string_view name = work.text("activation", "");
  if (name.empty()) return;
  const auto activation = activationFlops(name);
  if (!activation) return work.unknown(UnknownWork::Kind::Form);
  work.vector(Amount(*activation) * work.resultElements());
}

/// Each element of the operand is multiplied with the weights of its channel: those by the first axis.
void convTranspose(OperatorWork& work) {
  work.matrix(Amount(2) * work.elements(0) * weightsOfChannel(work, 1), 1);
  if (work.has(2)) work.vector(work.resultElements());
}

void convInteger(OperatorWork& work) { addConvolution(work, 1); }

/// (x, scale, zero, w, scale, zero, scale, zero, bias): results are quantised, by 3 operations.
void qLinearConv(OperatorWork& work) {
  addConvolution(work, 3);
  work.vector(Amount(3 + int64_t{work.has(8)}) * work.resultElements());
}

constexpr std::string_view kConv = "2 per result and weight of its channel";

constexpr OperatorRow kConvolutionRows[] = {
    {"", "Conv", conv, "2 per result and weight of its channel; 1 per result for a bias"},
    {"", "ConvInteger", convInteger, kConv},
    {"", "ConvTranspose", convTranspose,
     "2 per element of the operand and weight of its channel; 1 per result for a bias"},
    {"", "QLinearConv", qLinearConv, "2 per result and weight of its channel; 3 per result, and 1 for a bias"},
    {"com.microsoft", "FusedConv NhwcFusedConv", fusedConv, "as `Conv`; 1 per result for a summand; the activation"},
    {"com.microsoft", "QLinearConv", qLinearConv,
     "2 per result and weight of its channel; 3 per result, and 1 for a bias"},
    {"com.microsoft.nchwc", "Conv", fusedConv, "as `Conv`; 1 per result for a summand; the activation"},
};

}  // namespace

std::span<const OperatorRow> convolutionRows() { return kConvolutionRows; }

}  // namespace amdahlc
