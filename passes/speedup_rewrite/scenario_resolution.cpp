#include "passes/speedup_rewrite/scenario_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/schedule/schedule_analysis.h"
#include "passes/timing/timing_analysis.h"
#include "support/edit_distance.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

using ResolveKind = bool (*)(const ChangesOfKind&, ScenarioResolution&);

/// In the order of changes.def.
constexpr ResolveKind kResolvers[] = {
#define AMDAHLC_CHANGE(KIND, ...) resolve##KIND,
#include "ir/changes.def"
};

}  // namespace

ScenarioResolution::ScenarioResolution(const ir::Module& module, const ir::Scenario& scenario,
                                       const std::vector<PredictedRun>& runs, PassContext& context)
    : module_(module), scenario_(scenario), runs_(runs), context_(context), owners_(runs.size()) {
  for (const PredictedRun& run : runs) {
    changes_.push_back({DeviceFactors(module.cover(run.cover).kernels.size())});
    names_.push_back(&run.names);
  }
}

std::optional<std::vector<RunChanges>> ScenarioResolution::resolve() {
  bool ok = true;
  for (const ir::ChangeRow& row : ir::changeTable()) {
    ChangesOfKind changes;
    for (const ir::Change& change : scenario_.changes) {
      if (change.kind != row.kind) continue;
      if (!row.isReplayOnly || canReplay())
        changes.push_back(&change);
      else
        warn(DiagId::SpeedupWithoutTime, change,
             "changes nothing that is known: no run has host events that launched its device work");
    }
    if (!changes.empty()) ok &= kResolvers[static_cast<size_t>(row.kind)](changes, *this);
  }
  if (!ok) return std::nullopt;
  return std::move(changes_);
}

bool ScenarioResolution::canReplay() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const PredictedRun& run) { return run.model != nullptr; });
}

int64_t ScenarioResolution::timeOf(size_t run, ir::KernelId kernel) const {
  return cover(run).facets.get<ir::TimedFacet>()->kernels[kernel].totalNs;
}

std::optional<WorkFactors> ScenarioResolution::workOf(size_t run) const {
  const RooflineAnalysis* roofline = runs_[run].roofline;
  if (roofline == nullptr || !roofline->hardware) return std::nullopt;
  Rational batch = Rational::of(1);
  for (const ir::Change& change : scenario_.changes)
    if (change.kind == ir::ChangeKind::Batch) batch = batch * *change.factor;
  return WorkFactors(*roofline, batch);
}

const std::vector<ir::KernelId>& ScenarioResolution::owners(size_t run) {
  if (owners_[run].empty()) owners_[run] = eventOwners(*module_.findTimeline(cover(run).traceLabel), cover(run));
  return owners_[run];
}

schedule::EventSet ScenarioResolution::eventsOf(size_t run, const std::vector<ir::KernelId>& kernels) {
  IdVector<ir::KernelId, bool> isSelected(cover(run).kernels.size(), false);
  for (const ir::KernelId kernel : kernels) isSelected[kernel] = true;
  schedule::EventSet events;
  for (const ir::KernelId owner : owners(run)) events.push_back(owner != kUnboundOwner && isSelected[owner]);
  return events;
}

std::optional<std::vector<std::vector<ir::KernelId>>> ScenarioResolution::select(
    const ir::Change& change, const std::vector<ir::Selector>& selectors) {
  std::vector<std::vector<ir::KernelId>> selected(runs_.size());
  for (const ir::Selector& asked : selectors) {
    const ir::Selector selector = withKind(asked, names_);
    bool any = false;
    for (size_t i = 0; i < runs_.size(); ++i)
      for (const ir::KernelId kernel : runs_[i].names.select(selector)) {
        selected[i].push_back(kernel);
        any = true;
      }
    if (any) continue;
    std::vector<std::string> words;
    for (const KernelNames* const one : names_)
      for (std::string& word : one->vocabulary(asked.kind)) words.push_back(std::move(word));
    fail(change,
         fmt::format("`{}` selects no kernel{}", ir::describe(asked.kind, asked.text), didYouMean(asked.text, words)));
    return std::nullopt;
  }
  for (std::vector<ir::KernelId>& one : selected) sortUnique(one);
  return selected;
}

void ScenarioResolution::remove(size_t run, const std::vector<ir::KernelId>& kernels) {
  if (kernels.empty()) return;
  for (const ir::KernelId kernel : kernels) setFactor(run, kernel, Rational::of(0));
  if (const schedule::RunModel* model = runs_[run].model)
    schedule::removeEvents(*model, eventsOf(run, kernels), changes_[run].other);
}

void ScenarioResolution::warn(DiagId id, const ir::Change& change, std::string_view what) {
  context_.diagnostics.warning(id, change.range, fmt::format("`{}` {}", ir::describe(change), what));
}

bool ScenarioResolution::fail(const ir::Change& change, const std::string& message) {
  context_.diagnostics.error(DiagId::SpeedupSelectsNothing, change.range, message);
  return false;
}

void ScenarioResolution::remark(const ir::Change& change, const std::string& what) {
  if (context_.wants(RemarkKind::Passed))
    context_.remark(RemarkKind::Passed, change.range,
                    fmt::format("`{}` {} in scenario `{}`", ir::describe(change), what, scenario_.name));
}

PredictedRun predictedRun(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  PredictedRun run{cover, analyses.get<KernelNames>(cover), analyses.get<ir::KernelGraph>(cover)};
  run.roofline = analyses.requested<RooflineAnalysis>(cover);
  const auto* schedule = analyses.requested<ScheduleAnalysis>(cover);
  if (schedule)
    run.noReplay = schedule->run.absence();
  else if (run.noReplay = module.findTimeline(module.cover(cover).traceLabel)->absenceOfHostSide(); !run.noReplay)
    run.noReplay = {Absence::Reason::NoPass, {"schedule"}};
  if (!run.noReplay) {
    run.schedule = &*schedule->run;
    run.model = analyses.get<RunModelAnalysis>(cover).model();
  }
  return run;
}

PredictedRun withoutReplay(PredictedRun run) {
  run.model = nullptr;
  run.schedule = nullptr;
  run.noReplay = {Absence::Reason::KeepsIdle, {}};
  return run;
}

std::vector<PredictedRun> predictedRuns(const ir::Module& module, AnalysisManager& analyses) {
  std::vector<PredictedRun> runs;
  for (const ir::CoverId id : coversOfRuns(module))
    if (module.cover(id).facets.get<ir::TimedFacet>()) runs.push_back(predictedRun(module, id, analyses));
  return runs;
}

size_t indexOfRun(const std::vector<PredictedRun>& runs, ir::CoverId cover) {
  const auto run = std::find_if(runs.begin(), runs.end(), [&](const PredictedRun& one) { return one.cover == cover; });
  return static_cast<size_t>(run - runs.begin());
}

std::optional<std::vector<RunChanges>> resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                                       const std::vector<PredictedRun>& runs, PassContext& context) {
  if (!scenario.keepsIdle) return ScenarioResolution(module, scenario, runs, context).resolve();
  std::vector<PredictedRun> withIdleKept;
  for (const PredictedRun& run : runs) withIdleKept.push_back(withoutReplay(run));
  return ScenarioResolution(module, scenario, withIdleKept, context).resolve();
}

std::optional<std::vector<RunChanges>> resolveQuietly(const ir::Module& module, const ir::Scenario& scenario,
                                                      const std::vector<PredictedRun>& runs,
                                                      AnalysisManager& analyses) {
  DiagnosticEngine diagnostics;
  PassContext quiet(diagnostics, analyses);
  return resolveScenario(module, scenario, runs, quiet);
}

}  // namespace amdahlc
