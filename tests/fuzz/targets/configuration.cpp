/// Configuration files, and the settings that they make.
#include "driver/options.h"

#include "api/trace_files.h"
#include "driver/settings.h"
#include "fuzz.h"
#include "passes/registry/all_passes.h"

namespace amdahlc::fuzz {
namespace {

void fuzzConfiguration(std::string_view input, Run& run) {
  driver::Invocation invocation;
  const bool good = driver::readConfiguration(memoryFile(input), invocation, run.sources, run.diagnostics);
  require(good != run.diagnostics.hasErrors(), "the result contradicts the errors");
  if (!good) return;
  // The only option whose file is opened while settings are read. It has a target of its own.
  std::erase_if(invocation.options,
                [](const driver::Occurrence& option) { return option.id == driver::OptionId::Speedups; });
  driver::colorMode(invocation);
  driver::Settings settings;
  const api::Outcome code = driver::readSettings(invocation, allPasses(), run.sources, run.diagnostics, settings);
  require((code == api::Outcome::Done) != run.diagnostics.hasErrors(), "the exit status contradicts the errors");
  if (code != api::Outcome::Done) return;
  const bool complete = api::completeTraces(settings.request, run.diagnostics);
  require(complete != run.diagnostics.hasErrors(), "the result contradicts the errors");
}

const Registration kConfiguration(
    {.name = "configuration", .fuzzOne = fuzzConfiguration, .mutate = mutateTokens, .mutations = 4000});

}  // namespace
}  // namespace amdahlc::fuzz
