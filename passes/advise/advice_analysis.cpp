#include "passes/advise/advice_analysis.h"

#include "passes/advise/finders.h"
#include "passes/advise/ranking.h"

namespace amdahlc {

std::string_view name(AdviceKind kind) { return kind == AdviceKind::Change ? "change" : "bound"; }

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, cover);
  AdvisedRun run(module, runs, index);
  std::vector<AdviceCandidate> candidates = findCandidates(run);
  notes = std::move(run.notes);
  rank(module, runs[index], analyses, std::move(candidates), *this);
}

}  // namespace amdahlc
