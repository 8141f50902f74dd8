/// From the requests of a scenario to the factors of each run.
#pragma once

#include <vector>

#include "passes/manager/pass.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replay_prediction.h"
#include "passes/speedup_rewrite/selector.h"

namespace amdahlc {

/// A run with kernel times, and what may be replayed of it.
struct PredictedRun {
  ir::CoverId cover;
  KernelNames names;
  /// Null for a run that cannot be replayed.
  const schedule::RunModel* model = nullptr;
};

/// What a scenario changes in one run.
struct ScenarioFactors {
  DeviceFactors device;
  HostFactors host;
};

/// The factors of a scenario, one entry per run. nullopt if a request selects nothing in any run, which is an error at
/// the place of the request. `changedKernels` counts the kernels that get a new time.
std::optional<std::vector<ScenarioFactors>> resolveScenario(const ir::Module& module, const ir::Scenario& scenario,
                                                            const std::vector<PredictedRun>& runs,
                                                            int64_t& changedKernels, PassContext& context);

/// Whether no request is about device work.
bool isAboutHostOnly(const ir::Scenario& scenario);

}  // namespace amdahlc
