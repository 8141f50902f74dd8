// New times of kernels, of all device work, of that of a phase or of forwards, and of time of the host. Where two
// changes select one kernel, the later one counts; the factor of forwards multiplies with it.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/schedule/dropped_waits.h"
#include "support/edit_distance.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

bool setKernels(const ir::Change& change, ScenarioResolution& scenario) {
  const auto selected = scenario.select(change, change.selectors);
  if (!selected) return false;
  size_t named = 0, changed = 0;
  for (size_t run = 0; run < scenario.runs(); ++run)
    for (const ir::KernelId kernel : (*selected)[run]) {
      ++named;
      const ir::Cover& cover = scenario.cover(run);
      RunScenario& one = scenario.changed(run);
      const int64_t iterations = cover.facets.get<ir::TimedFacet>()->run.reportedIterations();
      // A kernel of fewer than half of the iterations has a median of 0, and may have events in the reported one.
      if (change.factor)
        one.setKernel(kernel, *change.factor);
      else if (!one.setKernelNs(kernel, *change.fixedNs, iterations))
        continue;
      ++changed;
      if (scenario.wantsDebug())
        scenario.debug(fmt::format("scenario `{}`, run `{}`: `{}` gives kernel {} the factor {}", scenario.name(),
                                   cover.name, ir::describe(change), kernel.index(),
                                   one.changes().device.kernels[kernel].describe()));
    }
  if (changed == 0)
    scenario.warn(
        DiagId::SpeedupWithoutTime, change,
        fmt::format("selects {} without measured time; the prediction does not change", plural(named, "kernel")));
  if (scenario.wantsRemarks()) scenario.remark(change, fmt::format("selects {} kernels", named));
  return true;
}

/// A kernel is in the phase of most of its time. False after an error, where no run has work in the phase.
bool setPhase(const ir::Change& change, ScenarioResolution& scenario) {
  const std::string& text = change.selectors.front().text;
  const auto* const found = std::ranges::find(kPhaseNames, text);
  std::vector<std::string> words;
  bool any = false, areKnown = false;
  for (size_t run = 0; run < scenario.runs(); ++run) {
    const PhasesAnalysis& phases = *scenario.run(run).phases;
    areKnown |= phases.known() != nullptr;
    for (size_t phase = 0; phase < kPhaseCount; ++phase) {
      if (phases.times()[phase].events == 0) continue;
      words.emplace_back(kPhaseNames[phase]);
      if (found != kPhaseNames.begin() + phase) continue;
      any = true;
      scenario.changed(run).setPhase(static_cast<Phase>(phase), *change.factor);
    }
  }
  return any || scenario.fail(change, fmt::format("`{}` selects no device work{}", ir::describe(change),
                                                  areKnown ? didYouMean(text, words)
                                                           : ", because phases are not known without the trace"));
}

/// False after an error, where no run has such a group.
bool setForward(const ir::Change& change, ScenarioResolution& scenario) {
  const std::string& text = change.selectors.front().text;
  std::vector<std::string> words;
  bool any = false, areKnown = false;
  std::string why;
  for (size_t run = 0; run < scenario.runs(); ++run) {
    const ForwardGroups* known = scenario.run(run).forwards->known();
    if (known == nullptr) {
      why = describe(*scenario.run(run).forwards->absence());
      continue;
    }
    areKnown = true;
    for (size_t group = 0; group < known->groups.size(); ++group) {
      words.push_back(known->groups[group].name);
      if (words.back() != text) continue;
      any = true;
      scenario.changed(run).setForwards(group, *change.factor);
    }
  }
  return any || scenario.fail(change, fmt::format("`{}` selects no forwards{}", ir::describe(change),
                                                  areKnown ? didYouMean(text, words) : ", because " + why));
}

/// False after an error, where the name of the selector is not among `namesOf(run)` of any run.
template <typename NamesOf>
bool isNameOfHost(const ir::Change& change, ScenarioResolution& scenario, std::string_view what,
                  const NamesOf& namesOf) {
  const std::string& name = change.selectors.front().text;
  std::vector<std::string> words;
  for (size_t run = 0; run < scenario.runs(); ++run)
    for (std::string& word : namesOf(scenario.run(run))) words.push_back(std::move(word));
  return std::find(words.begin(), words.end(), name) != words.end() ||
         scenario.fail(change, fmt::format("`{}` selects {}{}", ir::describe(change), what, didYouMean(name, words)));
}

bool setHostWork(const ir::Change& change, ScenarioResolution& scenario) {
  const auto namesOf = [](const PredictedRun& run) {
    if (run.model != nullptr) return schedule::namesOfHostWork(run.model->calls);
    return run.oneThread != nullptr ? run.oneThread->names() : std::vector<std::string>();
  };
  if (!isNameOfHost(change, scenario, "nothing on the host", namesOf)) return false;
  for (size_t run = 0; run < scenario.runs(); ++run)
    scenario.changed(run).setHostWork(change.selectors.front().text, *change.factor);
  return true;
}

bool dropWaits(const ir::Change& change, ScenarioResolution& scenario) {
  const auto namesOf = [](const PredictedRun& run) {
    return run.model != nullptr ? schedule::namesOfWaits(*run.model) : std::vector<std::string>();
  };
  if (!isNameOfHost(change, scenario, "no wait for the device in the middle of an iteration", namesOf)) return false;
  for (size_t run = 0; run < scenario.runs(); ++run) scenario.changed(run).dropWaits(change.selectors.front().text);
  return true;
}

bool setOther(const ir::Change& change, ScenarioResolution& scenario) {
  const ir::Selector& selector = change.selectors.front();
  if (selector.kind == ir::SelectorKind::Phase) return setPhase(change, scenario);
  if (selector.kind == ir::SelectorKind::Forward) return setForward(change, scenario);
  if (selector.kind == ir::SelectorKind::HostOperator) return setHostWork(change, scenario);
  if (selector.kind == ir::SelectorKind::Wait) return dropWaits(change, scenario);
  for (size_t run = 0; run < scenario.runs(); ++run) {
    RunScenario& changed = scenario.changed(run);
    if (selector.kind == ir::SelectorKind::Device) changed.setDevice(*change.factor);
    if (selector.kind == ir::SelectorKind::Host) changed.setHost(*change.factor);
    if (selector.kind == ir::SelectorKind::Launches) changed.setLaunches(*change.factor);
  }
  return true;
}

}  // namespace

bool resolveNewTime(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  bool ok = true;
  for (const ir::Change* change : changes)
    ok &= ir::subjectOf(change->selectors.front().kind) == ir::SelectorSubject::Kernels ? setKernels(*change, scenario)
                                                                                        : setOther(*change, scenario);
  return ok;
}

}  // namespace amdahlc
