// Before: a scenario says `sdpa=2x`.                After: it has a prediction per run.
//
//   kernels 3 and 11 (label sdpa): factor 1/2         busy 98 us -> 88 2/3 us, wall 3218 us -> 3208 2/3 us
//
// Where the run has host events, each scenario is predicted by replay, too. Measured facts do not change: a scenario
// stores its predictions separately. If two requests select one kernel, the later one counts. A request that selects no
// kernel in any run is an error, because its author expects an effect.

#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ir/facets/timed.h"
#include "passes/manager/pass.h"
#include "passes/manager/stored_facts.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replayed_scenarios.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

void warnOfUnknown(const ir::Module& module, PassContext& context) {
  for (const ir::CoverId id : coversOfRuns(module)) {
    const auto* replayed = context.analyses.requested<ReplayedScenarios>(id);
    if (replayed == nullptr) continue;
    for (size_t i = 0; i < replayed->predictions.size(); ++i)
      if (!replayed->predictions[i].isKnown)
        context.diagnostics.warning(
            DiagId::PredictionTooLong, {},
            fmt::format("run `{}` is not replayed with scenario `{}`: it could take more than "
                        "{} ns",
                        printable(module.cover(id).traceLabel), printable(module.scenarios[i].name), limits::kTimeNs));
  }
}

}  // namespace

class SpeedupRewritePass : public Pass {
 public:
  SpeedupRewritePass();
  PassResult run(ir::Module& module, PassContext& context) override;

 private:
  int64_t& changedKernels_;
  int64_t& predictions_;
};

SpeedupRewritePass::SpeedupRewritePass()
    : changedKernels_(statistic("changed-kernels", "kernels with a new time, over all scenarios and runs")),
      predictions_(statistic("predictions", "scenarios times runs")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::Speedups);
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Scenarios);
}

PassResult SpeedupRewritePass::run(ir::Module& module, PassContext& context) {
  const std::vector<PredictedRun> runs = runsOfScenarios(module, context.analyses);
  bool ok = true;
  std::map<ir::CoverId, ir::ScenariosFacet> facts;
  for (const ir::Scenario& scenario : module.scenarios) {
    const auto changes = resolveScenario(module, scenario, runs, changedKernels_, context);
    if (!changes) {
      ok = false;
      continue;
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      ir::Prediction prediction = predict(module, module.cover(runs[i].cover), runs[i].graph, (*changes)[i].device);
      prediction.scenario = scenario.name;
      facts[runs[i].cover].predictions.push_back(std::move(prediction));
      ++predictions_;
    }
  }
  if (!ok) return PassResult::failed();
  context.analyses.request<ReplayedScenarios>();
  warnOfUnknown(module, context);
  return storeInRuns<ir::ScenariosFacet>(module, [&](ir::CoverId id) { return std::move(facts[id]); });
}

std::unique_ptr<Pass> makeSpeedupRewritePass() { return std::make_unique<SpeedupRewritePass>(); }

}  // namespace amdahlc
