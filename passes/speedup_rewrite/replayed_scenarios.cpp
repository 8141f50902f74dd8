#include "passes/speedup_rewrite/replayed_scenarios.h"

#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

ReplayedScenarios::ReplayedScenarios(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  if (module.scenarios.empty()) return;
  const std::vector<PredictedRun> runs = runsOfScenarios(module, analyses);
  const size_t index = indexOfRun(runs, id);
  const PredictedRun& run = runs[index];
  if (run.model == nullptr) return;
  const ReplayPredictor predictor(*run.model, *run.schedule, module.cover(id));
  for (const ir::Scenario& scenario : module.scenarios) {
    // The pass has told what there is to say of it.
    DiagnosticEngine diagnostics;
    PassContext quiet(diagnostics, analyses);
    int64_t changedKernels = 0;
    const auto changes = resolveScenario(module, scenario, runs, changedKernels, quiet);
    if (changes) predictions.push_back(predictor.predict((*changes)[index]));
  }
}

}  // namespace amdahlc
