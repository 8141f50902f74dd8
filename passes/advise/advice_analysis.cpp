#include "passes/advise/advice_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "passes/advise/candidates.h"
#include "passes/speedup_rewrite/prediction.h"
#include "support/diagnostic.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

/// Events and calls that the predictions of a run may walk over together: of each candidate alone, and on top of
/// others.
constexpr size_t kMostStepsAlone = 200'000'000, kMostSteps = 20'000'000;

class Ranking {
 public:
  Ranking(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses)
      : module_(module),
        runs_{run},
        analyses_(analyses),
        predictor_(analyses.get<RunPredictor>(run.cover)),
        measuredNs_(predictor_.times().measured().limitNs()) {}

  void rank(std::vector<AdviceCandidate> open, AdviceAnalysis& facts) {
    facts.model = predictor_.times().model();
    facts.measuredNs = measuredNs_;
    mostPredictions_ = open.size() * (1 + kMostAdvice);
    std::vector<int64_t> aloneNs;
    while (aloneNs.size() < open.size() && steps_ <= kMostStepsAlone)
      aloneNs.push_back(timeWith(open[aloneNs.size()].changes).value_or(measuredNs_));
    facts.tried = aloneNs.size();
    if (facts.tried < open.size()) {
      facts.notes.push_back(
          fmt::format("the run is so large that {} were not tried", plural(open.size() - facts.tried, "change")));
      open.resize(facts.tried);
    }
    facts.caution = caution_;
    std::vector<ir::Change> made;
    int64_t nowNs = measuredNs_;
    while (!open.empty() && facts.advice.size() < kMostAdvice) {
      size_t best = 0;
      int64_t bestNs = std::numeric_limits<int64_t>::max();
      for (size_t i = 0; i < open.size(); ++i) {
        const int64_t ns = made.empty() ? aloneNs[i] : thenNs(made, open[i], nowNs, aloneNs[i]);
        if (ns < bestNs) {
          best = i;
          bestNs = ns;
        }
      }
      if (static_cast<double>(nowNs - bestNs) < kLeastSaving * static_cast<double>(nowNs) || nowNs <= 0) break;
      AdviceCandidate& one = open[best];
      facts.advice.push_back({one.selector, one.change, one.why, measuredNs_ - aloneNs[best], bestNs, one.assumption});
      made.insert(made.end(), one.changes.begin(), one.changes.end());
      nowNs = bestNs;
      open.erase(open.begin() + static_cast<ptrdiff_t>(best));
      aloneNs.erase(aloneNs.begin() + static_cast<ptrdiff_t>(best));
    }
  }

 private:
  /// Time with a change on top of others; where that would take too long, as if both saved what they save alone.
  int64_t thenNs(std::vector<ir::Change> made, const AdviceCandidate& candidate, int64_t nowNs, int64_t aloneNs) {
    const int64_t sumNs = std::max<int64_t>(0, nowNs - (measuredNs_ - aloneNs));
    if (steps_ > kMostSteps) return sumNs;
    made.insert(made.end(), candidate.changes.begin(), candidate.changes.end());
    return timeWith(made).value_or(nowNs);
  }

  /// nullopt if the changes select nothing, or the time is not known.
  std::optional<int64_t> timeWith(const std::vector<ir::Change>& changes) {
    if (analyses_.progress)
      analyses_.progress("advise", static_cast<double>(predictions_++) / static_cast<double>(mostPredictions_));
    steps_ += predictor_.times().size();
    const auto resolved = resolveQuietly(module_, {"", changes}, runs_, analyses_);
    const auto times = resolved ? predictor_.predict(resolved->front()) : std::nullopt;
    if (!times) return std::nullopt;
    // Others are about one change, and not about the run.
    if (times->caution == schedule::Caution::Unexplained || times->caution == schedule::Caution::Inexact)
      caution_ = times->caution;
    return times->limitNs();
  }

  const ir::Module& module_;
  const std::vector<PredictedRun> runs_;
  AnalysisManager& analyses_;
  const RunPredictor& predictor_;
  int64_t measuredNs_;
  size_t steps_ = 0, predictions_ = 0, mostPredictions_ = 0;
  schedule::Caution caution_ = schedule::Caution::None;
};

}  // namespace

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  for (PredictedRun& run : runs) run.work = &analyses.get<KernelWork>(run.cover);
  const size_t index = indexOfRun(runs, cover);
  AdviceCandidates found = adviceCandidates(module, runs, index);
  notes = std::move(found.notes);
  Ranking(module, runs[index], analyses).rank(std::move(found.candidates), *this);
}

}  // namespace amdahlc
