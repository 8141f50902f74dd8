#include "passes/advise/advice_analysis.h"

#include "passes/advise/finders.h"
#include "passes/advise/ranking.h"

namespace amdahlc {

std::string_view name(AdviceKind kind) { return kind == AdviceKind::Change ? "change" : "bound"; }

std::string_view name(RunLimit limit) {
  // In the order of the enumeration.
  static constexpr std::string_view kNames[] = {"", "host", "device", "both"};
  return kNames[static_cast<size_t>(limit)];
}

RunLimit AdviceAnalysis::limit() const {
  if (!longerNs || !freeDeviceNs || !freeHostNs || *longerNs <= 0) return RunLimit::Unknown;
  if (caution == schedule::Caution::Unexplained || caution == schedule::Caution::Inexact) return RunLimit::Unknown;
  const auto savesNothing = [&](int64_t leftNs) {
    return static_cast<double>(*longerNs - leftNs) < kLeastOfFree * static_cast<double>(*longerNs);
  };
  if (savesNothing(*freeDeviceNs)) return savesNothing(*freeHostNs) ? RunLimit::Unknown : RunLimit::Host;
  return savesNothing(*freeHostNs) ? RunLimit::Device : RunLimit::Both;
}

AdviceAnalysis::Told AdviceAnalysis::told(const Advice& advice) const {
  const bool isWorthOfWall = static_cast<double>(advice.wall.likelyNs) >= kLeastSaving * static_cast<double>(baseNs);
  if (advice.window && advice.windowNs && longerNs && advice.window->likelyNs > advice.wall.likelyNs && !isWorthOfWall)
    return {*advice.window, *longerNs, "the window", true};
  return {advice.wall, baseNs, info(model).time, false};
}

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  const std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  const size_t index = indexOfRun(runs, cover);
  AdvisedRun run(module, runs, index);
  std::vector<AdviceCandidate> candidates = findCandidates(run);
  notes = std::move(run.notes);
  rank(module, runs[index], analyses, std::move(candidates), *this);
}

}  // namespace amdahlc
