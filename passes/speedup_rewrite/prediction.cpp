#include "passes/speedup_rewrite/prediction.h"

#include "passes/timing/timing_analysis.h"

namespace amdahlc {

RunPredictor::RunPredictor(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
    : RunPredictor(module, predictedRun(module, cover, analyses)) {}

RunPredictor::RunPredictor(const ir::Module& module, const PredictedRun& run)
    : kernels_(module.cover(run.cover).kernels.size()),
      owners_(eventOwners(*module.findTimeline(module.cover(run.cover).traceLabel), module.cover(run.cover))),
      times_(*module.findTimeline(module.cover(run.cover).traceLabel), run.model, run.schedule) {}

std::optional<schedule::PredictedTimes> RunPredictor::predict(const RunChanges& scenario) const {
  schedule::Changes changes = scenario.other;
  changes.events = eventFactors(owners_, scenario.device);
  return times_.predict(changes);
}

}  // namespace amdahlc
