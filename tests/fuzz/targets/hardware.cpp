/// Descriptions of hardware.
#include "api/inputs.h"
#include "fuzz.h"

namespace amdahlc::fuzz {
namespace {

void fuzzHardware(std::string_view input, Run& run) {
  const auto found = api::readHardwareFile(memoryFile(input), run.sources, run.diagnostics);
  require(found.has_value() != run.diagnostics.hasErrors(), "the result contradicts the errors");
  if (!found) return;
  require(found->memoryBytesPerS > 0, "a bandwidth is not above 0");
  for (const ir::PeakByType* peaks : {&found->matrixPerS, &found->vectorPerS})
    for (const auto& [type, peak] : *peaks) require(peak > 0, "a peak is not above 0");
}

const Registration kHardware({.name = "hardware", .fuzzOne = fuzzHardware, .mutate = mutateTokens, .mutations = 4000});

}  // namespace
}  // namespace amdahlc::fuzz
