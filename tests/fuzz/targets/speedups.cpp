/// Scenarios: the same bytes as a file and as the text of `-what-if=`.
#include "api/change_text.h"
#include "fuzz.h"

namespace amdahlc::fuzz {
namespace {

void fuzzSpeedups(std::string_view input, Run& run) {
  const auto scenarios = api::readScenarioFile(memoryFile(input), {}, run.sources, run.diagnostics);
  require(scenarios.empty() == run.diagnostics.hasErrors(), "the result contradicts the errors");
  // Longer than what anyone writes on a command line.
  constexpr size_t kMostText = 1000;
  if (input.size() > kMostText) return;
  const BufferId buffer = run.sources.add("<command line>", std::string(input));
  const size_t before = run.diagnostics.errorCount();
  const SourceRange range{buffer, 0, static_cast<uint32_t>(input.size())};
  const auto scenario = api::readScenario(std::string(input), range, run.diagnostics);
  require(scenario.has_value() == (run.diagnostics.errorCount() == before), "the result contradicts the errors");
  require(!scenario || !scenario->changes.empty(), "a scenario has no change");
}

const Registration kSpeedups({.name = "speedups", .fuzzOne = fuzzSpeedups, .mutate = mutateTokens, .mutations = 4000});

}  // namespace
}  // namespace amdahlc::fuzz
