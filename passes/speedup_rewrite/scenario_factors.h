/// From the changes of a scenario to what changes in each run.
#pragma once

#include <vector>

#include "ir/kernel_graph.h"
#include "passes/manager/pass.h"
#include "passes/roofline/kernel_work.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replay_prediction.h"
#include "passes/speedup_rewrite/selector.h"
#include "passes/speedup_rewrite/structure_changes.h"

namespace amdahlc {

/// A run with kernel times, and what may be replayed of it.
struct PredictedRun {
  ir::CoverId cover;
  KernelNames names;
  const ir::KernelGraph& graph;
  /// Null for a run that cannot be replayed.
  const schedule::RunModel* model = nullptr;
  /// Null where nobody asks.
  const KernelWork* work = nullptr;
};

/// Runs with kernel times, in the order of covers, each with its model if the module has schedules, and without work.
std::vector<PredictedRun> predictedRuns(const ir::Module& module, PassContext& context);

/// What a scenario changes in one run.
struct ScenarioFactors {
  DeviceFactors device;
  HostFactors host;
  StructureChanges structure;
};

/// What a scenario changes, one entry per run. New times come first, whatever their place in the scenario: the time of
/// a fused kernel is that of its parts with theirs. nullopt if a change selects nothing in any run, which is an error
/// at the place of the change. `changedKernels` counts the kernels that get a new time.
std::optional<std::vector<ScenarioFactors>> resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                                            const std::vector<PredictedRun>& runs,
                                                            int64_t& changedKernels, PassContext& context);

}  // namespace amdahlc
