#include "passes/advise/advice_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/advise/candidates.h"
#include "passes/speedup_rewrite/prediction.h"
#include "passes/speedup_rewrite/replay_prediction.h"
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
      : module_(module), cover_(module.cover(run.cover)), runs_{run}, analyses_(analyses) {
    const ir::TimedFacet& timed = *cover_.facets.get<ir::TimedFacet>();
    for (const int64_t ns : timed.run.busyNs) measuredNs_ += static_cast<double>(ns);
    if (timed.run.wallNs) {
      isWall_ = true;
      measuredNs_ = 0;
      for (const int64_t ns : *timed.run.wallNs) measuredNs_ += static_cast<double>(ns);
    }
    size_ = module.findTimeline(cover_.traceLabel)->size();
    if (run.model != nullptr) {
      replay_.emplace(*run.model, *run.schedule, cover_);
      size_ += run.model->calls.calls().size();
    }
  }

  void rank(std::vector<AdviceCandidate> open, AdviceAnalysis& facts) {
    facts.isReplayed = replay_.has_value();
    facts.isWall = isWall_;
    facts.measuredNs = measuredNs_;
    std::vector<double> aloneNs;
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
    double nowNs = measuredNs_;
    while (!open.empty() && facts.advice.size() < kMostAdvice) {
      size_t best = 0;
      double bestNs = std::numeric_limits<double>::infinity();
      for (size_t i = 0; i < open.size(); ++i) {
        const double ns = made.empty() ? aloneNs[i] : thenNs(made, open[i], nowNs, aloneNs[i]);
        if (ns < bestNs) {
          best = i;
          bestNs = ns;
        }
      }
      if (nowNs - bestNs < kLeastSaving * nowNs || nowNs <= 0) break;
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
  double thenNs(std::vector<ir::Change> made, const AdviceCandidate& candidate, double nowNs, double aloneNs) {
    const double sumNs = std::max(0.0, nowNs - (measuredNs_ - aloneNs));
    if (steps_ > kMostSteps) return sumNs;
    made.insert(made.end(), candidate.changes.begin(), candidate.changes.end());
    return timeWith(made).value_or(nowNs);
  }

  /// nullopt if the changes select nothing, or the time is not known.
  std::optional<double> timeWith(const std::vector<ir::Change>& changes) {
    steps_ += size_;
    // What a change cannot do to this run is no message to the user.
    DiagnosticEngine diagnostics;
    PassContext quiet(diagnostics, analyses_);
    int64_t changedKernels = 0;
    const auto resolved = resolveScenario(module_, {"", changes}, runs_, changedKernels, quiet);
    if (!resolved) return std::nullopt;
    const RunChanges& one = resolved->front();
    if (replay_) {
      const ReplayPrediction replayed = replay_->predict(one);
      if (!replayed.isKnown) return std::nullopt;
      if (isCautious(replayed.caution)) caution_ = replayed.caution;
      return static_cast<double>(replayed.wallNs);
    }
    const ir::Prediction kept = predict(module_, cover_, runs_.front().graph, one.device);
    return isWall_ ? kept.wallNs : kept.busyNs;
  }

  /// Whether it is about the run, and not about one change.
  static bool isCautious(ReplayPrediction::Caution caution) {
    return caution == ReplayPrediction::Caution::Unexplained || caution == ReplayPrediction::Caution::Inexact;
  }

  const ir::Module& module_;
  const ir::Cover& cover_;
  const std::vector<PredictedRun> runs_;
  AnalysisManager& analyses_;
  std::optional<ReplayPredictor> replay_;
  bool isWall_ = false;
  double measuredNs_ = 0;
  size_t size_ = 0, steps_ = 0;
  ReplayPrediction::Caution caution_ = ReplayPrediction::Caution::None;
};

}  // namespace

AdviceAnalysis::AdviceAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses) {
  std::vector<PredictedRun> runs = predictedRuns(module, analyses);
  for (PredictedRun& run : runs) run.work = &analyses.get<KernelWork>(run.cover);
  const size_t index = indexOfRun(runs, cover);
  AdviceCandidates found = adviceCandidates(module, runs, index);
  candidates = found.candidates.size();
  notes = std::move(found.notes);
  Ranking(module, runs[index], analyses).rank(std::move(found.candidates), *this);
}

}  // namespace amdahlc
