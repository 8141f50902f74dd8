#include "passes/speedup_rewrite/scenario_resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "ir/facets/bound.h"
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

// The order of rows is that of `ChangeOrder`.
#define AMDAHLC_CHANGE(KIND, ...) \
  static_assert(static_cast<int>(ir::ChangeKind::KIND) == static_cast<int>(ChangeOrder::KIND));
#include "ir/changes.def"

}  // namespace

ScenarioResolution::ScenarioResolution(const ir::Module& module, const ir::Scenario& scenario,
                                       const std::vector<PredictedRun>& runs, WantedMessages wanted)
    : module_(module), scenario_(scenario), runs_(runs), wanted_(wanted) {
  for (const PredictedRun& run : runs) changed_.emplace_back(*run.kernels, run.model);
}

ResolvedScenario ScenarioResolution::resolve() {
  bool ok = true;
  for (const ir::ChangeRow& row : ir::changeTable()) {
    ChangesOfKind changes;
    for (const ir::Change& change : scenario_.changes) {
      if (change.kind == row.kind && isKnown(change)) changes.push_back(&change);
    }
    if (!changes.empty()) ok &= kResolvers[static_cast<size_t>(row.kind)](changes, *this);
  }
  if (!ok) return {std::nullopt, std::move(messages_)};
  std::vector<RunChanges> changes;
  for (RunScenario& run : changed_) changes.push_back(std::move(run).finish());
  return {std::move(changes), std::move(messages_)};
}

bool PredictedRun::knows(const ir::Change& change) const {
  if (!noReplay || !ir::isReplayOnly(change)) return true;
  if (oneThread == nullptr || change.kind != ir::ChangeKind::NewTime) return false;
  const ir::SelectorKind kind = change.selectors.front().kind;
  return kind == ir::SelectorKind::Host || kind == ir::SelectorKind::HostOperator;
}

bool ScenarioResolution::isKnown(const ir::Change& change) {
  std::set<std::string> reasons;
  for (const PredictedRun& run : runs_) {
    if (run.knows(change)) return true;
    reasons.insert(describe(*run.noReplay));
  }
  warn(DiagId::SpeedupWithoutTime, change,
       fmt::format("changes nothing that is known: {}", fmt::join(reasons, ", and ")));
  return false;
}

std::optional<WorkFactors> ScenarioResolution::workOf(size_t run) const {
  if (!runs_[run].isDescribed()) return std::nullopt;
  Rational batch = Rational::of(1);
  for (const ir::Change& change : scenario_.changes)
    if (change.kind == ir::ChangeKind::Batch) batch = batch * *change.factor;
  return WorkFactors(*runs_[run].roofline, batch);
}

std::optional<std::vector<std::vector<ir::KernelId>>> ScenarioResolution::select(
    const ir::Change& change, const std::vector<ir::Selector>& selectors) {
  std::vector<std::vector<ir::KernelId>> selected(runs_.size());
  for (const ir::Selector& asked : selectors) {
    const ir::Selector selector = withKind(asked);
    bool any = false;
    for (size_t i = 0; i < runs_.size(); ++i)
      for (const ir::KernelId kernel : runs_[i].names.select(selector)) {
        selected[i].push_back(kernel);
        any = true;
      }
    if (any) continue;
    std::vector<std::string> words;
    for (const PredictedRun& run : runs_)
      std::ranges::move(run.names.vocabulary(asked.kind), std::back_inserter(words));
    fail(change,
         fmt::format("`{}` selects no kernel{}", ir::describe(asked.kind, asked.text), didYouMean(asked.text, words)));
    return std::nullopt;
  }
  for (std::vector<ir::KernelId>& one : selected) sortUnique(one);
  return selected;
}

void ScenarioResolution::add(Severity severity, DiagId id, Location where, std::string text) {
  messages_.push_back({severity, id, std::move(text), {std::move(where), ""}, {}, {}, {}});
}

void ScenarioResolution::warn(DiagId id, const ir::Change& change, std::string_view what) {
  add(Severity::Warning, id, change.range, fmt::format("`{}` {}", ir::describe(change), what));
}

bool ScenarioResolution::fail(const ir::Change& change, std::string message) {
  add(Severity::Error, DiagId::SpeedupSelectsNothing, change.range, std::move(message));
  return false;
}

void ScenarioResolution::remark(const ir::Change& change, std::string_view what) {
  add(Severity::Remark, {}, change.range,
      fmt::format("`{}` {} in scenario `{}`", ir::describe(change), what, scenario_.name));
}

RunKernels::RunKernels(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& phases = analyses.get<PhasesAnalysis>(id);
  const auto& forwards = analyses.get<ForwardsAnalysis>(id);
  run.events = {ir::eventOwners(*module.findTimeline(cover.traceLabel), *cover.facets.get<ir::BoundFacet>()),
                {phases.ofEvents().begin(), phases.ofEvents().end()},
                {forwards.ofEvents().begin(), forwards.ofEvents().end()}};
  for (const ir::KernelId kernel : cover.kernels.ids()) {
    run.kernelNs.push_back(cover.facets.get<ir::TimedFacet>()->kernels[kernel].reportedNs);
    run.phases.push_back(phases.ofKernel(kernel));
  }
  if (forwards.known() != nullptr) run.forwardGroups = forwards.known()->groups.size();
}

PredictedRun predictedRun(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  PredictedRun run{cover, analyses.get<KernelNames>(cover), analyses.get<ir::KernelGraph>(cover)};
  run.phases = &analyses.get<PhasesAnalysis>(cover);
  run.forwards = &analyses.get<ForwardsAnalysis>(cover);
  run.kernels = &analyses.get<RunKernels>(cover).run;
  run.roofline = analyses.requested<RooflineAnalysis>(cover);
  const auto* schedule = analyses.requested<ScheduleAnalysis>(cover);
  run.isHostKnown = schedule != nullptr;
  if (schedule)
    run.noReplay = schedule->run.absence();
  else if (run.noReplay = module.findTimeline(module.cover(cover).traceLabel)->absenceOfHostSide(); !run.noReplay)
    run.noReplay = {Absence::Reason::NoPass, {"schedule"}};
  if (!run.noReplay) {
    run.schedule = &*schedule->run;
    run.model = analyses.get<RunModelAnalysis>(cover).model();
  } else if (run.isHostKnown) {
    const auto& thread = analyses.get<OneThreadAnalysis>(cover).thread;
    run.oneThread = thread ? &*thread : nullptr;
  }
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

ir::Selector withKind(const ir::Selector& selector, const std::vector<PredictedRun>& runs) {
  if (selector.kind != ir::SelectorKind::Any) return selector;
  for (const ir::SelectorRow& row : ir::selectorTable())
    if (row.hasPrefix() && row.subject == ir::SelectorSubject::Kernels &&
        std::ranges::any_of(runs, [&](const PredictedRun& run) { return run.names.names(row.kind, selector.text); }))
      return {row.kind, selector.text};
  return selector;
}

WantedMessages wantedMessages(const PassContext& context) {
  return {context.wantsDebug(), context.wants(RemarkKind::Passed)};
}

ResolvedScenario resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                 const std::vector<PredictedRun>& runs, WantedMessages wanted) {
  return ScenarioResolution(module, scenario, runs, wanted).resolve();
}

void tell(const std::vector<Diagnostic>& messages, PassContext& context) {
  for (const Diagnostic& message : messages) {
    if (message.severity == Severity::Note)
      context.debug(message.message);
    else if (message.severity == Severity::Remark)
      context.remark(RemarkKind::Passed, message.primary.location, message.message);
    else
      context.diagnostics.report(message);
  }
}

}  // namespace amdahlc
