#include "passes/advise/advice_analysis.h"

#include "passes/advise/finders.h"
#include "passes/advise/ranking.h"
#include "support/ratio.h"

namespace amdahlc {

std::string_view name(AdviceKind kind) { return kind == AdviceKind::Change ? "change" : "bound"; }

std::string_view name(RunLimit limit) {
  // In the order of the enumeration.
  static constexpr std::string_view kNames[] = {"", "host", "device", "both", "turns"};
  return kNames[static_cast<size_t>(limit)];
}

std::string_view AdviceAnalysis::timeName() const {
  if (base.longerNs() > base.wallNs) return "the window";
  return model == schedule::WallModel::Unknown ? "busy time" : "wall time";
}

RunLimit AdviceAnalysis::limit() const {
  if (!withoutDevice || !withoutHost || base.longerNs() <= 0) return RunLimit::Unknown;
  if (caution == schedule::Caution::Unexplained || caution == schedule::Caution::Inexact) return RunLimit::Unknown;
  const auto isAsLong = [&](const AdvisedTimes& without) {
    return shareOf(without.longerNs(), base.longerNs()) >= kLimitShare;
  };
  if (isAsLong(*withoutDevice)) return isAsLong(*withoutHost) ? RunLimit::Both : RunLimit::Host;
  return isAsLong(*withoutHost) ? RunLimit::Device : RunLimit::Turns;
}

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, cover);
  const RunPredictor& predictor = analyses.get<RunPredictor>(cover);
  base = advisedTimes(predictor, predictor.times().base());
  AdvisedRun run(module, runs, index, base);
  std::vector<AdviceCandidate> candidates = findCandidates(run);
  notes = std::move(run.notes);
  rank(module, runs[index], analyses, std::move(candidates), *this);
}

}  // namespace amdahlc
