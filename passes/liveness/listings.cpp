#include "passes/liveness/listings.h"

#include <fmt/format.h>

#include <string_view>

#include "passes/liveness/tensor_text.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

constexpr std::string_view kKernelRule = "____________________________________________________________________\n";
constexpr std::string_view kTensorRule =
    "_____________________________________________________________________________\n";
constexpr std::string_view kPeriodRule = "_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ \n";

/// `tensor3, Name: sub, Is global?: 0: Size in byte: 256, `. A size that is not known is a word, not a number.
std::string tensorLine(const ListingInput& input, TensorId id) {
  const Tensor& tensor = input.liveness.tensors[id];
  return fmt::format("tensor{}, Name: {}, Is global?: {}: Size in byte: {}, ", id.index(),
                     printable(tensorName(input.module, tensor.value)), tensor.isGlobal ? 1 : 0,
                     tensor.bytes ? std::to_string(*tensor.bytes) : "unknown");
}

/// Six significant digits, as C++ streams write numbers by default.
std::string microseconds(const ListingInput& input, int64_t totalNs) {
  if (!input.liveness.isMeasured) return "unknown";
  return fmt::format("{:.6g}us", static_cast<double>(totalNs) / static_cast<double>(input.iterations) / 1000);
}

}  // namespace

std::string kernelListing(const ListingInput& input) {
  std::string text(kKernelRule);
  const auto list = [&](std::string_view title, std::span<const TensorId> tensors) {
    text += title;
    for (const TensorId id : tensors)
      text += tensorLine(input, id) +
              "Dimensions: " + printable(tensorDimensions(input.module.values[input.liveness.tensors[id].value].type)) +
              "\n";
  };
  for (SchedulePosition at = 0; at < input.liveness.kernels.size(); ++at) {
    const ir::OpId anchor = input.cover.kernels[input.liveness.kernels[at]].anchor();
    text += fmt::format("Kernel ID: {}, Name: {}\n", at, printable(input.module.displayName(anchor)));
    list("Input Tensors:\n", input.liveness.inputs[at]);
    list("Output Tensors:\n", input.liveness.outputs[at]);
    text += kKernelRule;
  }
  return text;
}

std::string tensorListing(const ListingInput& input) {
  std::string text;
  for (const TensorId id : input.liveness.tensors.ids()) text += tensorLine(input, id) + "\n";
  return text;
}

std::string livenessListing(const ListingInput& input) {
  std::string text;
  for (const TensorId id : input.liveness.tensors.ids()) {
    const Tensor& tensor = input.liveness.tensors[id];
    const std::string line = tensorLine(input, id) + "\n";
    text.append(kTensorRule).append(line);
    text += tensor.isGlobal ? "Global!\n"
                            : fmt::format("Liveness: Birth: {}, Death: {}.\n", tensor.birth,
                                          tensor.death ? std::to_string(*tensor.death) : "-1");
    text.append(kPeriodRule).append(line).append("Inactive Periods:\n");
    size_t number = 0;
    for (const InactivePeriod& period : input.liveness.periods[id])
      text += fmt::format("Period {}: {}--------{}\nEstimated Time:{}\n", number++, period.from, period.to,
                          microseconds(input, period.totalNs));
    text += kTensorRule;
  }
  return text;
}

}  // namespace amdahlc
