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
namespace {

/// Changes with the same key are about the same: one of them has no effect.
std::string keyOf(const ir::Change& change) {
  std::string key(1, static_cast<char>(change.kind));
  if (change.stream) key += std::to_string(*change.stream);
  for (const ir::Selector& selector : change.selectors) {
    key += static_cast<char>(selector.kind);
    key += selector.text;
    key += '\0';
  }
  return key;
}

}  // namespace

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
  for (const api::PlacedScenario& one : scenarios_) checkRepeated(one.scenario);
  Outcome code = diagnostics_.errorCount() == errorsBefore ? Outcome::Done : Outcome::InputFault;
  if (!checkNames()) code = Outcome::RequestFault;
  for (api::PlacedScenario& one : scenarios_) scenarios.push_back(std::move(one.scenario));
  return code;
}

void ScenarioOptions::checkRepeated(const ir::Scenario& scenario) {
  std::unordered_map<std::string, SourceRange> places;
  for (const ir::Change& change : scenario.changes) {
    if (change.kind == ir::ChangeKind::Batch) continue;  // all of them together are one factor
    const auto [first, isNew] = places.emplace(keyOf(change), change.range);
    if (isNew) continue;
    const char* what = change.kind == ir::ChangeKind::NewTime ? "has a new time" : "is given";
    diagnostics_
        .error(DiagId::SpeedupSyntax, change.range,
               fmt::format("`{}` {} twice in one scenario; keep one", printable(spelled(change)), what))
        .secondary(first->second, "first given here");
  }
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
