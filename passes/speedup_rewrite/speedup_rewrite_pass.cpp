// Before: a scenario says `sdpa=2x`.                After: it has a prediction per run.
//
//   kernels 3 and 11 (label sdpa): factor 1/2         busy 98 us -> 88 2/3 us, wall 3218 us -> 3208 2/3 us
//
// Where the run has host events, each scenario is predicted by replay, too. Measured facts do not change: a scenario
// stores its predictions separately. If two requests select one kernel, the later one counts. A request that selects no
// kernel in any run is an error, because its author expects an effect.

#include "passes/speedup_rewrite/speedup_rewrite_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "passes/roofline/kernel_work.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replay_prediction.h"
#include "passes/speedup_rewrite/report_what_if.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc {

SpeedupRewritePass::SpeedupRewritePass()
    : changedKernels_(statistic("changed-kernels", "kernels with a new time, over all scenarios and runs")),
      predictions_(statistic("predictions", "scenarios times runs")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  needsInput(PassInput::Speedups);
  reports(whatIfSection());
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Scenarios);
  establishesFacet(ir::Facet::Replayed);
}

PassResult SpeedupRewritePass::run(ir::Module& module, PassContext& context) {
  const bool asksForWork =
      std::any_of(module.scenarios.begin(), module.scenarios.end(), [](const ir::Scenario& scenario) {
        return std::any_of(scenario.changes.begin(), scenario.changes.end(), [](const ir::Change& change) {
          return change.kind == ir::ChangeKind::Fuse || change.kind == ir::ChangeKind::Batch;
        });
      });
  std::vector<PredictedRun> runs = predictedRuns(module, context);
  if (asksForWork)
    for (PredictedRun& run : runs) run.work = &context.analyses.get<KernelWork>(run.cover);
  std::vector<std::optional<ReplayPredictor>> predictors;
  for (const PredictedRun& run : runs) {
    auto& predictor = predictors.emplace_back();
    if (run.model != nullptr && !module.scenarios.empty()) predictor.emplace(*run.model, module.cover(run.cover));
  }

  bool ok = true;
  std::vector<ir::ScenariosFacet> facts(runs.size());
  std::vector<ReplayedFacet> replayed(runs.size());
  for (const ir::Scenario& scenario : module.scenarios) {
    const auto changes = resolveScenario(module, scenario, runs, changedKernels_, context);
    if (!changes) {
      ok = false;
      continue;
    }
    for (size_t i = 0; i < runs.size(); ++i) {
      ir::Prediction prediction = predict(module, module.cover(runs[i].cover), runs[i].graph, (*changes)[i].device);
      prediction.scenario = scenario.name;
      facts[i].predictions.push_back(std::move(prediction));
      ++predictions_;
      if (!predictors[i]) continue;
      ReplayPrediction replay = predictors[i]->predict((*changes)[i]);
      replay.scenario = scenario.name;
      if (!replay.isKnown)
        context.diagnostics.warning(
            DiagId::PredictionTooLong, {},
            fmt::format("run `{}` is not replayed with scenario `{}`: it could take more than {} ns",
                        printable(module.cover(runs[i].cover).traceLabel), printable(scenario.name), limits::kTimeNs));
      replayed[i].predictions.push_back(std::move(replay));
    }
  }
  if (!ok) return PassResult::failed();
  bool changed = !module.has(ir::Facet::Scenarios);
  for (size_t i = 0; i < runs.size(); ++i) changed |= module.cover(runs[i].cover).facets.replace(std::move(facts[i]));
  module.establish(ir::Facet::Scenarios);
  if (module.has(ir::Facet::Schedule)) {
    changed |= !module.has(ir::Facet::Replayed);
    for (size_t i = 0; i < runs.size(); ++i)
      changed |= module.cover(runs[i].cover).facets.replace(std::move(replayed[i]));
    module.establish(ir::Facet::Replayed);
  }
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
