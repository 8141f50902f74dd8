// Before: a scenario says `sdpa=2x`.                After: each run has its prediction.
//
//   kernels 3 and 11 (label sdpa): factor 1/2         busy 98 us -> 88.667 us, wall 3218 us -> 3208.667 us
//
// The pass finds out whether each scenario changes something; the analysis `scenario-predictions` predicts, by replay
// where the run has a schedule. Measured facts do not change. If two requests select one kernel, the later one counts.
// A request that selects no kernel in any run is an error, because its author expects an effect.

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "passes/manager/showing_pass.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {

class SpeedupRewritePass : public ShowingPass<ScenarioPredictions> {
 public:
  SpeedupRewritePass() {
    runsByDefault();
    needsInput(PassInput::Trace);
    needsInput(PassInput::Speedups);
    requiresFacet(ir::Facet::Timed);
    usesIfBefore("schedule");
    usesIfBefore("roofline");
  }

 private:
  std::optional<NoOptions> optionsFor(const ir::Module& module, PassContext& context) override {
    const std::vector<PredictedRun> runs = predictedRuns(module, context.analyses);
    bool ok = true;
    for (const ir::Scenario& scenario : module.scenarios)
      ok &= resolveScenario(module, scenario, runs, context).has_value();
    return ok ? std::optional<NoOptions>(NoOptions()) : std::nullopt;
  }

  void tell(const ir::Module& module, ir::CoverId id, const ScenarioPredictions& facts, PassContext& context) override {
    predictions_ += static_cast<int64_t>(facts.predictions.size());
    for (const Prediction& prediction : facts.predictions)
      changedKernels_ += static_cast<int64_t>(prediction.factors.size());
    reportTooLong(module.cover(id).traceLabel, facts, context.diagnostics);
  }

  int64_t& changedKernels_ =
      statistic("changed-kernels", "kernels whose predicted time differs, over all scenarios and runs");
  int64_t& predictions_ = statistic("predictions", "over all scenarios and runs");
};

std::unique_ptr<Pass> makeSpeedupRewritePass() { return std::make_unique<SpeedupRewritePass>(); }

}  // namespace amdahlc
