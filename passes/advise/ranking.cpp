#include "passes/advise/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "passes/speedup_rewrite/scenario_predictions.h"
#include "support/plural.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

/// Events and calls that the predictions of a run may walk over together: of each candidate alone, and on top of
/// others.
constexpr size_t kMostStepsAlone = 200'000'000, kMostSteps = 20'000'000;

class Ranking {
 public:
  Ranking(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses, AdviceAnalysis& facts)
      : module_(module),
        runs_{run},
        analyses_(analyses),
        facts_(facts),
        predictor_(analyses.get<RunPredictor>(run.cover)),
        base_(timesOf(predictor_.times().base())),
        nowNs_(base_.limitNs) {}

  void rank(std::vector<AdviceCandidate> candidates) {
    facts_.model = predictor_.times().model();
    facts_.baseNs = base_.limitNs;
    // Of each what is certain, likely and possible, then what is likely on top of others.
    mostPredictions_ = candidates.size() * (3 + kMostAdvice);
    for (AdviceCandidate& candidate : candidates) {
      if (steps_ > kMostStepsAlone) break;
      ++facts_.tried;
      Open& one = open_.emplace_back();
      one.likely = timesWith(candidate.likely, candidate.items);
      one.certain = candidate.isCertain ? one.likely
                    : candidate.certain ? timesWith(*candidate.certain, candidate.items)
                                        : base_;
      // What is certain is likely, and what is likely is possible.
      if (candidate.certain && one.certain.limitNs <= one.likely.limitNs) {
        one.likely = one.certain;
        // New times of a larger batch would hide those of other changes.
        if (candidate.items == 1) candidate.likely = *candidate.certain;
      }
      one.atMost = candidate.atMost ? faster(one.likely, timesWith(*candidate.atMost, candidate.items)) : one.likely;
      one.candidate = std::move(candidate);
    }
    if (facts_.tried < candidates.size())
      facts_.notes.push_back(fmt::format("the run is so large that {} were not tried",
                                         plural(candidates.size() - facts_.tried, "change")));
    facts_.caution = caution_;
    for (const AdviceKind kind : {AdviceKind::Change, AdviceKind::Bound})
      while (facts_.advice.size() < kMostAdvice && takeBest(kind)) continue;
    if (facts_.advice.empty()) noteHostLimit();
  }

 private:
  struct Times {
    int64_t limitNs = 0;
    std::optional<int64_t> windowNs;
  };
  struct Open {
    AdviceCandidate candidate;
    /// By itself.
    Times certain, likely, atMost;
  };

  static Times timesOf(const schedule::PredictedTimes& times) { return {times.limitNs(), times.windowNs}; }
  static Times faster(const Times& a, const Times& b) {
    return {std::min(a.limitNs, b.limitNs),
            a.windowNs && b.windowNs ? std::optional(std::min(*a.windowNs, *b.windowNs)) : std::nullopt};
  }
  bool isWorthIt(int64_t thenNs) const {
    return nowNs_ > 0 && static_cast<double>(nowNs_ - thenNs) >= kLeastSaving * static_cast<double>(nowNs_);
  }

  bool isReplaced(const AdviceCandidate& candidate) const {
    return std::ranges::any_of(candidate.kernels, [&](ir::KernelId kernel) { return replaced_.contains(kernel); });
  }

  /// Only a replay knows what the host limits.
  void noteHostLimit() {
    if (facts_.model != schedule::WallModel::Replay || base_.limitNs == 0) return;
    ir::Change nothing;
    nothing.selectors.push_back({ir::SelectorKind::Device, ""});
    nothing.factor = Rational::of(0);
    const int64_t ns = timesWith({nothing}, 1).limitNs;
    if (isWorthIt(ns)) return;
    facts_.notes.insert(facts_.notes.begin(),
                        fmt::format("nothing on the device is worth a change: without all of its work, wall would be "
                                    "{} of what it is; the host is the limit",
                                    formatPercent(shareOf(ns, base_.limitNs))));
  }

  /// Whether one was worth it.
  bool takeBest(AdviceKind kind) {
    std::erase_if(open_, [&](const Open& one) { return one.candidate.replacesKernels && isReplaced(one.candidate); });
    std::optional<size_t> best;
    int64_t bestNs = 0;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].candidate.kind != kind) continue;
      const int64_t ns = thenNs(open_[i]);
      if (!isWorthIt(ns) || (best && bestNs <= ns)) continue;
      best = i;
      bestNs = ns;
    }
    if (!best) return false;
    take(std::move(open_[*best]), bestNs);
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(*best));
    return true;
  }

  void take(Open one, int64_t thenNs) {
    AdviceCandidate& candidate = one.candidate;
    if (candidate.kind == AdviceKind::Change) {
      if (isReplaced(candidate))
        part_ *= partOfBase(one.likely);
      else {
        made_.insert(made_.end(), candidate.likely.begin(), candidate.likely.end());
        items_ *= candidate.items;
      }
      if (candidate.replacesKernels) replaced_.insert(candidate.kernels.begin(), candidate.kernels.end());
      nowNs_ = thenNs;
    }
    Advice& advice = facts_.advice.emplace_back();
    advice.kind = candidate.kind;
    advice.selector = std::move(candidate.selector);
    advice.change = std::move(candidate.change);
    advice.why = std::move(candidate.why);
    advice.places = std::move(candidate.places);
    advice.assumption = std::move(candidate.assumption);
    advice.wallNs = thenNs;
    const auto savedNs = [&](const Times& times) { return base_.limitNs - times.limitNs; };
    advice.wall = {savedNs(one.certain), savedNs(one.likely), savedNs(one.atMost)};
    if (!base_.windowNs || !one.certain.windowNs || !one.likely.windowNs || !one.atMost.windowNs) return;
    const auto savedOfWindowNs = [&](const Times& times) { return *base_.windowNs - *times.windowNs; };
    advice.window = {savedOfWindowNs(one.certain), savedOfWindowNs(one.likely), savedOfWindowNs(one.atMost)};
  }

  double partOfBase(const Times& times) const {
    return base_.limitNs > 0 ? static_cast<double>(times.limitNs) / static_cast<double>(base_.limitNs) : 1;
  }

  /// Time after what was taken and this, which is as likely, or a bound that is reached. Of kernels that are not there
  /// any more, as if it saved the same part of what is left; where a prediction would take too long, as much as alone.
  int64_t thenNs(const Open& one) {
    const bool isBound = one.candidate.kind == AdviceKind::Bound;
    const Times& alone = isBound ? one.atMost : one.likely;
    if (nowNs_ == base_.limitNs) return alone.limitNs;
    if (isReplaced(one.candidate)) return std::llround(static_cast<double>(nowNs_) * partOfBase(alone));
    if (steps_ > kMostSteps) return std::max<int64_t>(0, nowNs_ - (base_.limitNs - alone.limitNs));
    std::vector<ir::Change> changes = made_;
    const std::vector<ir::Change>& own = isBound && one.candidate.atMost ? *one.candidate.atMost : one.candidate.likely;
    changes.insert(changes.end(), own.begin(), own.end());
    return std::min(nowNs_,
                    static_cast<int64_t>(std::llround(
                        static_cast<double>(timesWith(changes, items_ * one.candidate.items).limitNs) * part_)));
  }

  /// Those of the base if the changes select nothing, or the times are not known.
  Times timesWith(const std::vector<ir::Change>& changes, int64_t items) {
    if (analyses_.progress)
      analyses_.progress("advise", std::min(1.0, static_cast<double>(predictions_++) /
                                                     static_cast<double>(std::max<size_t>(1, mostPredictions_))));
    steps_ += predictor_.times().size();
    const auto resolved = resolveScenario(module_, {"", changes}, runs_).changes;
    const auto times = resolved ? predictor_.predict(resolved->front()) : std::nullopt;
    if (!times) return base_;
    // Others are about one change, and not about the run.
    if (times->caution == schedule::Caution::Unexplained || times->caution == schedule::Caution::Inexact)
      caution_ = times->caution;
    const auto each = [&](int64_t ns) { return divideHalfEven(ns, items); };
    return {each(times->limitNs()), times->windowNs ? std::optional(each(*times->windowNs)) : std::nullopt};
  }

  const ir::Module& module_;
  const std::vector<PredictedRun> runs_;
  AnalysisManager& analyses_;
  AdviceAnalysis& facts_;
  const RunPredictor& predictor_;
  const Times base_;
  /// After the changes taken: those of `made_`, for so many items as `items_` has, and then this part of it, for
  /// others.
  int64_t nowNs_;
  std::vector<ir::Change> made_;
  double part_ = 1;
  int64_t items_ = 1;
  std::set<ir::KernelId> replaced_;
  std::vector<Open> open_;
  size_t steps_ = 0, predictions_ = 0, mostPredictions_ = 0;
  schedule::Caution caution_ = schedule::Caution::None;
};

}  // namespace

void rank(const ir::Module& module, const PredictedRun& run, AnalysisManager& analyses,
          std::vector<AdviceCandidate> candidates, AdviceAnalysis& facts) {
  Ranking(module, run, analyses, facts).rank(std::move(candidates));
}

}  // namespace amdahlc
