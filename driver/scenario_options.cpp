#include "driver/scenario_options.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "api/change_text.h"
#include "support/memory.h"
#include "support/printable.h"

namespace amdahlc::driver {

void ScenarioOptions::read(const Occurrence& option) {
  if (option.id == OptionId::Speedup) {
    auto change = api::readChange(option.value, option.range, diagnostics_);
    if (!change) return;
    if (together_.scenario.changes.empty()) together_.nameRange = option.range;
    together_.scenario.changes.push_back(std::move(*change));
  } else if (option.id == OptionId::Speedups || api::isScenarioFile(option.value)) {
    readFile(option);
  } else if (auto changes = api::readChanges(option.value, option.range, diagnostics_)) {
    scenarios_.push_back({{option.value, std::move(*changes)}, option.range});
  }
}

void ScenarioOptions::readFile(const Occurrence& option) {
  auto read = withinMemory(diagnostics_, FileLocation{option.value}, "speed-ups were read",
                           [&] { return api::readScenarioFile(option.value, option.range, sources_, diagnostics_); });
  std::move(read.begin(), read.end(), std::back_inserter(scenarios_));
}

Outcome ScenarioOptions::finish(std::vector<ir::Scenario>& scenarios) {
  if (!together_.scenario.changes.empty()) scenarios_.insert(scenarios_.begin(), std::move(together_));
  const size_t errorsBefore = diagnostics_.errorCount();
  for (const api::PlacedScenario& one : scenarios_) api::checkRepeated(one.scenario, diagnostics_);
  Outcome code = diagnostics_.errorCount() == errorsBefore ? Outcome::Done : Outcome::InputFault;
  if (!checkNames()) code = Outcome::RequestFault;
  for (api::PlacedScenario& one : scenarios_) scenarios.push_back(std::move(one.scenario));
  return code;
}

bool ScenarioOptions::checkNames() {
  const size_t errorsBefore = diagnostics_.errorCount();
  std::unordered_map<std::string, SourceRange> places;
  for (const api::PlacedScenario& one : scenarios_)
    if (const auto [first, isNew] = places.emplace(one.scenario.name, one.nameRange); !isNew)
      diagnostics_
          .error(DiagId::OptionConflict, one.nameRange,
                 fmt::format("two scenarios are named `{}`; leave one out, or give those of files another `name`",
                             printable(one.scenario.name)))
          .secondary(first->second, "the first has its name here");
  return diagnostics_.errorCount() == errorsBefore;
}

}  // namespace amdahlc::driver
