/// From the changes of a scenario to what changes in each run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/kernel_graph.h"
#include "passes/manager/pass.h"
#include "passes/roofline/roofline_analysis.h"
#include "passes/speedup_rewrite/selector.h"
#include "passes/speedup_rewrite/work_factors.h"
#include "passes/timing/forwards_analysis.h"
#include "passes/timing/phases_analysis.h"
#include "passes/timing/timing_analysis.h"
#include "replay/scenario/run_scenario.h"
#include "replay/schedule/one_thread.h"
#include "replay/schedule/program_changes.h"
#include "replay/schedule/run_schedule.h"

namespace amdahlc {

/// A run with kernel times, and what may be replayed of it.
struct PredictedRun {
  ir::CoverId cover;
  const KernelNames& names;
  const ir::KernelGraph& graph;
  const PhasesAnalysis* phases = nullptr;
  const ForwardsAnalysis* forwards = nullptr;
  const ScenarioRun* kernels = nullptr;
  /// These two are null for a run that cannot be replayed.
  const schedule::RunModel* model = nullptr;
  const schedule::RunSchedule* schedule = nullptr;
  std::optional<Absence> noReplay = std::nullopt;
  /// Whether the pass `schedule` looked at the host's side of the run.
  bool isHostKnown = false;
  /// Null for a run that is replayed, or of which several threads do the work.
  const schedule::OneThread* oneThread = nullptr;
  /// Null without roofs.
  const RooflineAnalysis* roofline = nullptr;
  /// Whether somebody described its device, so that kernels may have roofs.
  bool isDescribed() const { return roofline != nullptr && roofline->hardware; }
  /// Whether all that the change does is predicted: of a new time of the host also in a run of one thread.
  bool knows(const ir::Change& change) const;
};

/// What the kernels and events of a run are.
struct RunKernels {
  static constexpr const char* kName = "run-kernels";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  RunKernels(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  ScenarioRun run;
  friend bool operator==(const RunKernels&, const RunKernels&) = default;
};

/// With its schedule and its roofs if passes asked for these. Precondition: the cover is timed.
PredictedRun predictedRun(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);
/// All runs with kernel times, in the order of covers.
std::vector<PredictedRun> predictedRuns(const ir::Module& module, AnalysisManager& analyses);

/// The place of a cover with kernel times among them.
size_t indexOfRun(const std::vector<PredictedRun>& runs, ir::CoverId cover);

/// Replaces the kind `Any` of `selector` by the first kind with which the selector selects a kernel in any run. The
/// choice is made once for all runs, so that a selector cannot mean a rule in one run and an operator type in another.
ir::Selector withKind(const ir::Selector& selector, const std::vector<PredictedRun>& runs);

/// Which messages somebody reads, besides errors and warnings; others are not formatted.
struct WantedMessages {
  bool debug = false, remarks = false;
  friend bool operator==(const WantedMessages&, const WantedMessages&) = default;
};
WantedMessages wantedMessages(const PassContext& context);

struct ResolvedScenario {
  /// One entry per run. nullopt if a change selects nothing in any run, which is an error at the place of the change.
  std::optional<std::vector<RunChanges>> changes;
  /// In their order: errors and warnings, remarks on what was done with a change, and debug text as notes.
  std::vector<Diagnostic> messages = {};
};

/// Changes are made in the order of changes.def, whatever their place in the scenario: the time of a fused kernel is
/// that of its parts with their new times.
ResolvedScenario resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                 const std::vector<PredictedRun>& runs, WantedMessages wanted = {});

/// Reports the messages of a resolution for the pass that asked for it.
void tell(const std::vector<Diagnostic>& messages, PassContext& context);

/// A scenario while it is resolved, kind by kind.
class ScenarioResolution {
 public:
  ScenarioResolution(const ir::Module& module, const ir::Scenario& scenario, const std::vector<PredictedRun>& runs,
                     WantedMessages wanted);
  ResolvedScenario resolve();

  // For the resolvers of kinds.

  const ir::Module& module() const { return module_; }
  const std::string& name() const { return scenario_.name; }
  size_t runs() const { return runs_.size(); }
  const PredictedRun& run(size_t index) const { return runs_[index]; }
  const ir::Cover& cover(size_t run) const { return module_.cover(runs_[run].cover); }
  /// What the scenario changes in a run so far.
  RunScenario& changed(size_t run) { return changed_[run]; }

  /// What the selector means in all runs.
  ir::Selector withKind(const ir::Selector& selector) const { return amdahlc::withKind(selector, runs_); }
  /// Measured, in the reported iterations.
  int64_t timeOf(size_t run, ir::KernelId kernel) const { return changed_[run].timeOf(kernel); }
  /// What the work of kernels says of a run under all changes of the batch; nullopt if nobody described its device.
  std::optional<WorkFactors> workOf(size_t run) const;
  /// By event of a run; kUnboundOwner also for events that are not selected.
  const std::vector<ir::KernelId>& owners(size_t run) const { return runs_[run].kernels->events.owners; }

  /// The kernels that the selectors select together, by run, ascending. nullopt after an error, of a selector that
  /// selects none in any run.
  std::optional<std::vector<std::vector<ir::KernelId>>> select(const ir::Change& change,
                                                               const std::vector<ir::Selector>& selectors);

  void warn(DiagId id, const ir::Change& change, std::string_view what);
  /// Notes an error; false.
  bool fail(const ir::Change& change, std::string message);
  /// Whether remarks are wanted. Ask before formatting one.
  bool wantsRemarks() const { return wanted_.remarks; }
  /// What was done with a change: `selects 3 kernels`.
  void remark(const ir::Change& change, std::string_view what);
  /// Whether debug text is wanted. Ask before formatting it.
  bool wantsDebug() const { return wanted_.debug; }
  void debug(std::string line) { add(Severity::Note, {}, {}, std::move(line)); }

 private:
  /// Whether a prediction of any run knows what the change does. If none does, warns, and says why.
  bool isKnown(const ir::Change& change);
  void add(Severity severity, DiagId id, Location where, std::string text);

  const ir::Module& module_;
  const ir::Scenario& scenario_;
  const std::vector<PredictedRun>& runs_;
  WantedMessages wanted_;
  std::vector<Diagnostic> messages_;
  std::vector<RunScenario> changed_;
};

/// The changes of one kind of a scenario, in its order; at least one.
using ChangesOfKind = std::vector<const ir::Change*>;

// One function for each kind, in a file of its own, `resolve_KIND.cpp`. False after an error.
#define AMDAHLC_CHANGE(KIND, ...) bool resolve##KIND(const ChangesOfKind& changes, ScenarioResolution& scenario);
#include "ir/changes.def"

}  // namespace amdahlc
