#include "passes/advise/advice_analysis.h"

#include <cmath>

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

namespace {

/// Of the measured time.
constexpr double kShownDifference = 0.02;

}  // namespace

bool isUndisturbed(int64_t undisturbedNs, int64_t measuredNs) {
  return measuredNs > 0 && std::abs(shareOf(measuredNs - undisturbedNs, measuredNs)) > kShownDifference;
}

std::string_view nameOfTime(bool isWindow, bool hasWall, bool isUndisturbed, int64_t iterations) {
  static constexpr std::string_view kMeasured[] = {"the window", "wall time", "busy time"};
  static constexpr std::string_view kUndisturbed[] = {"the undisturbed window", "undisturbed wall time",
                                                      "undisturbed busy time"};
  static constexpr std::string_view kBestCase[] = {"the best-case window", "best-case wall time",
                                                   "best-case busy time"};
  const size_t time = isWindow ? 0 : hasWall ? 1 : 2;
  if (!isUndisturbed) return kMeasured[time];
  return iterations < kFewestIterations ? kBestCase[time] : kUndisturbed[time];
}

std::string_view AdviceAnalysis::timeName() const {
  const bool hasWall = model != schedule::WallModel::Unknown;
  return nameOfTime(base.longerNs() > base.wallNs, hasWall, isUndisturbed(), iterations);
}

std::string_view AdviceAnalysis::whyGuess() const {
  return caution == schedule::Caution::BeforeRecording ? "" : describe(caution);
}

RunLimit AdviceAnalysis::limit() const {
  if (!withoutDevice || !withoutHost || base.longerNs() <= 0) return RunLimit::Unknown;
  if (schedule::isOfRun(caution)) return RunLimit::Unknown;
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
  base = advisedTimes(predictor.times().base());
  AdvisedRun run(module, runs, index, base, analyses.options<RankWaits>());
  measuredNs = run.measuredNs();
  iterations = run.timed.run.iterations;
  noiseNs = run.noiseNs();
  std::vector<AdviceCandidate> candidates = findCandidates(run);
  notes = std::move(run.notes);
  rank(module, runs[index], analyses, std::move(candidates), *this);
  // Who is told what to save of the host's time must know that it is longer than without the recorder.
  if (limit() != RunLimit::Unknown && limit() != RunLimit::Device && !advice.empty() && run.hasFunctions())
    notes.emplace_back(
        "functions of the program were recorded, which slows the host: without the recorder, what changes save of the "
        "host's time is less");
}

}  // namespace amdahlc
