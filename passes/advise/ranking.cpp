#include "passes/advise/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "passes/speedup_rewrite/scenario_predictions.h"
#include "support/decimal_time.h"
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
        unexplainedNs_(unexplainedNs(run)),
        base_(facts.base),
        now_(base_) {}

  void rank(std::vector<AdviceCandidate> candidates) {
    facts_.model = predictor_.times().model();
    if (facts_.model == schedule::WallModel::Replay) {
      facts_.withoutDevice = timesWith({withoutTime(ir::SelectorKind::Device)});
      facts_.withoutHost = toldOf(predictor_.times().withoutHost());
    }
    // Of each what is certain, likely and possible, then what is likely on top of others.
    mostPredictions_ = candidates.size() * (3 + kMostAdvice);
    for (AdviceCandidate& candidate : candidates) {
      if (steps_ > kMostStepsAlone) break;
      ++facts_.tried;
      Open& one = open_.emplace_back();
      one.likely = timesWith(candidate.likely, candidate.items, candidate.pauses);
      one.certain = candidate.isCertain ? one.likely
                    : candidate.certain ? timesWith(*candidate.certain, candidate.items)
                                        : base_;
      // What is certain is likely, and what is likely is possible.
      if (candidate.certain && !isBetter(one.likely, one.certain)) {
        one.likely = one.certain;
        // New times of a larger batch would hide those of other changes.
        if (candidate.items == 1) candidate.likely = *candidate.certain;
      }
      one.atMost = atMostOf(candidate, one.likely);
      one.candidate = std::move(candidate);
    }
    if (facts_.tried < candidates.size())
      facts_.notes.push_back(fmt::format("the run is so large that {} were not tried",
                                         plural(candidates.size() - facts_.tried, "change")));
    facts_.caution = caution_;
    if (const auto* schedule = runs_.front().schedule; schedule != nullptr && schedule->isMostlyBefore())
      return takeRecording(*schedule);
    for (const AdviceKind kind : {AdviceKind::Change, AdviceKind::Bound})
      while (facts_.advice.size() < kMostAdvice && takeBest(kind)) continue;
  }

 private:
  using Times = AdvisedTimes;
  struct Open {
    AdviceCandidate candidate;
    /// By itself.
    Times certain, likely, atMost;
  };

  /// With cautions that are about the run; others are about one change.
  Times toldOf(const schedule::PredictedTimes& times) {
    if (schedule::isOfRun(times.caution)) caution_ = times.caution;
    return advisedTimes(times);
  }
  Times atMostOf(const AdviceCandidate& candidate, const Times& likely) {
    if (!candidate.atMost && candidate.pausesAtMost.empty() && candidate.idleNs == 0 && candidate.items == 1)
      return likely;
    const auto& changes = candidate.atMost ? *candidate.atMost : candidate.likely;
    const auto& pauses = candidate.pausesAtMost.empty() ? candidate.pauses : candidate.pausesAtMost;
    Times times = faster(likely, timesWith(changes, candidate.items, pauses, true));
    if (facts_.model != schedule::WallModel::IdleConstant) return times;
    times.wallNs -= candidate.idleNs;
    if (times.windowNs) *times.windowNs -= candidate.idleNs;
    return times;
  }
  static Times faster(const Times& a, const Times& b) {
    return {std::min(a.wallNs, b.wallNs),
            a.windowNs && b.windowNs ? std::optional(std::min(*a.windowNs, *b.windowNs)) : std::nullopt};
  }
  bool isWorthIt(const Times& then) const {
    const int64_t nowNs = now_.longerNs();
    return nowNs > 0 && shareOf(nowNs - then.longerNs(), nowNs) >= kLeastSaving;
  }

  static bool isAmong(const std::set<ir::KernelId>& kernels, const AdviceCandidate& candidate) {
    return std::ranges::any_of(candidate.kernels, [&](ir::KernelId kernel) { return kernels.contains(kernel); });
  }
  bool isReplaced(const AdviceCandidate& candidate) const { return isAmong(replaced_, candidate); }
  /// Whether its new times are of other kernels than those that the changes taken leave.
  bool isOfOtherKernels(const AdviceCandidate& candidate) const {
    return isReplaced(candidate) ||
           ((candidate.replacesKernels || candidate.savesPart) && isAmong(changed_, candidate));
  }

  /// Whether the first one is to be told before the other one.
  static bool isBetter(const Times& a, const Times& b) {
    return std::pair(a.longerNs(), a.wallNs) < std::pair(b.longerNs(), b.wallNs);
  }

  /// Whether one was worth it.
  bool takeBest(AdviceKind kind) {
    std::erase_if(open_, [&](const Open& one) { return one.candidate.replacesKernels && isReplaced(one.candidate); });
    std::optional<std::pair<size_t, Times>> best;
    for (size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].candidate.kind != kind) continue;
      const Times times = then(open_[i]);
      if (isWorthIt(times) && (!best || isBetter(times, best->second))) best.emplace(i, times);
    }
    if (!best) return false;
    const auto [index, times] = *best;
    take(std::move(open_[index]), times);
    open_.erase(open_.begin() + static_cast<ptrdiff_t>(index));
    return true;
  }

  /// What an iteration takes without the waits for what was launched before the recording. Nothing else is advised:
  /// what other changes save of such an iteration says little of others.
  void takeRecording(const schedule::RunSchedule& schedule) {
    const auto without = [](int64_t ns, int64_t waitNs) { return std::max<int64_t>(0, ns - waitNs); };
    now_.wallNs = without(base_.wallNs, schedule.beforeRecordingNs);
    if (base_.windowNs) now_.windowNs = without(*base_.windowNs, schedule.windowBeforeRecordingNs);
    Advice& advice = facts_.advice.emplace_back();
    advice.change = "record a later step, or let the device finish before the recording begins";
    advice.why = fmt::format(
        "{} of wall time is waiting for work that was launched before the recording: only without it is it known what "
        "other changes save",
        formatPercent(shareOf(base_.wallNs - now_.wallNs, base_.wallNs)));
    advice.left = now_;
    const auto saved = [](int64_t ns) { return Saving{0, ns, ns}; };
    advice.saving = saved(base_.longerNs() - now_.longerNs());
    advice.wall = saved(base_.wallNs - now_.wallNs);
    if (base_.windowNs) advice.window = saved(*base_.windowNs - *now_.windowNs);
  }

  void take(Open one, const Times& then) {
    AdviceCandidate& candidate = one.candidate;
    const int64_t onTopNs = now_.longerNs() - then.longerNs();
    if (candidate.kind == AdviceKind::Change) {
      if (isOfOtherKernels(candidate)) {
        part_ *= partOfBase(one.likely);
      } else {
        made_.insert(made_.end(), candidate.likely.begin(), candidate.likely.end());
        pauses_.insert(pauses_.end(), candidate.pauses.begin(), candidate.pauses.end());
        items_ *= candidate.items;
      }
      (candidate.replacesKernels ? replaced_ : changed_).insert(candidate.kernels.begin(), candidate.kernels.end());
      now_ = then;
    }
    Advice& advice = facts_.advice.emplace_back();
    advice.kind = candidate.kind;
    advice.selector = std::move(candidate.selector);
    for (const ir::Change& change : candidate.likely)
      if (change.kind == ir::ChangeKind::Fuse)
        advice.fused.insert(advice.fused.end(), change.selectors.begin(), change.selectors.end());
    advice.change = std::move(candidate.change);
    advice.why = std::move(candidate.why);
    advice.places = std::move(candidate.places);
    advice.assumption = std::move(candidate.assumption);
    advice.left = then;
    const auto saved = [&](const auto& nsOf) {
      const int64_t ns = nsOf(base_);
      return Saving{ns - nsOf(one.certain), ns - nsOf(one.likely), ns - nsOf(one.atMost)};
    };
    advice.saving = saved([](const Times& times) { return times.longerNs(); });
    const bool isBound = advice.kind == AdviceKind::Bound;
    const int64_t mostNs = std::max(isBound ? advice.saving.atMostNs : advice.saving.likelyNs, onTopNs);
    // What other iterations do not have is measured again by advice of its own.
    advice.isWithinNoise = facts_.noiseNs && mostNs <= *facts_.noiseNs && (isBound || candidate.pauses.empty());
    advice.wall = saved([](const Times& times) { return times.wallNs; });
    if (base_.windowNs && one.certain.windowNs && one.likely.windowNs && one.atMost.windowNs)
      advice.window = saved([](const Times& times) { return *times.windowNs; });
  }

  double partOfBase(const Times& times) const { return base_.wallNs > 0 ? shareOf(times.wallNs, base_.wallNs) : 1; }

  /// Times after what was taken and this, which is as likely, or a bound that is reached. Of kernels that are other
  /// ones by now, as if it saved the same part of what is left; where a prediction would take too long, as much as
  /// alone.
  Times then(const Open& one) {
    const bool isBound = one.candidate.kind == AdviceKind::Bound;
    const Times& alone = isBound ? one.atMost : one.likely;
    if (now_ == base_) return alone;
    const auto from = [&](const auto& timeOf) {
      return Times{timeOf(now_.wallNs, base_.wallNs, alone.wallNs),
                   now_.windowNs && base_.windowNs && alone.windowNs
                       ? std::optional(timeOf(*now_.windowNs, *base_.windowNs, *alone.windowNs))
                       : std::nullopt};
    };
    if (isOfOtherKernels(one.candidate)) {
      const double part = partOfBase(alone);
      return from(
          [&](int64_t nowNs, int64_t, int64_t) -> int64_t { return std::llround(static_cast<double>(nowNs) * part); });
    }
    if (steps_ > kMostSteps)
      return from([](int64_t nowNs, int64_t baseNs, int64_t aloneNs) {
        return std::max<int64_t>(0, nowNs - (baseNs - aloneNs));
      });
    std::vector<ir::Change> changes = made_;
    const std::vector<ir::Change>& own = isBound && one.candidate.atMost ? *one.candidate.atMost : one.candidate.likely;
    changes.insert(changes.end(), own.begin(), own.end());
    std::vector<schedule::HostStretch> pauses = pauses_;
    pauses.insert(pauses.end(), one.candidate.pauses.begin(), one.candidate.pauses.end());
    Times times = timesWith(changes, items_ * one.candidate.items, pauses);
    const auto left = [&](int64_t ns, int64_t nowNs) {
      return std::min(nowNs, static_cast<int64_t>(std::llround(static_cast<double>(ns) * part_)));
    };
    times.wallNs = left(times.wallNs, now_.wallNs);
    if (times.windowNs) times.windowNs = left(*times.windowNs, now_.windowNs.value_or(*times.windowNs));
    return times;
  }

  /// For so many items, each: what of the window is outside of wall time, such as loading of input, and what of the
  /// path of the run the trace does not explain, is taken to be so long for each item, and at best (`isBest`) for all
  /// together. Those of the base if the changes select nothing, or the times are not known.
  Times timesWith(const std::vector<ir::Change>& changes, int64_t items = 1,
                  const std::vector<schedule::HostStretch>& pauses = {}, bool isBest = false) {
    if (analyses_.progress)
      analyses_.progress("advise", std::min(1.0, static_cast<double>(predictions_++) /
                                                     static_cast<double>(std::max<size_t>(1, mostPredictions_))));
    steps_ += predictor_.times().size();
    auto resolved = resolveScenario(module_, {"", changes}, runs_).changes;
    if (resolved) {
      auto& stretches = resolved->front().other.stretches;
      stretches.insert(stretches.end(), pauses.begin(), pauses.end());
    }
    const auto times = resolved ? predictor_.predict(resolved->front()) : std::nullopt;
    if (!times) return base_;
    Times each = toldOf(*times);
    if (items == 1) return each;
    const int64_t outsideNs = each.windowNs && !isBest ? std::max<int64_t>(0, *each.windowNs - each.wallNs) : 0;
    const int64_t unexplainedNs = isBest ? 0 : unexplainedNs_;
    const auto dividedNs = [&](int64_t ns, int64_t keptNs) {
      keptNs = std::min(ns, keptNs);
      return divideHalfEven(ns - keptNs, items) + keptNs;
    };
    each.wallNs = dividedNs(each.wallNs, unexplainedNs);
    if (each.windowNs) each.windowNs = dividedNs(*each.windowNs, outsideNs + unexplainedNs);
    return each;
  }

  /// Of wall time, what its path waits for and the trace does not have.
  static int64_t unexplainedNs(const PredictedRun& run) {
    int64_t ns = 0;
    if (run.schedule == nullptr) return ns;
    for (const schedule::TimePiece& piece : run.schedule->wallPath)
      if (piece.note == schedule::PieceNote::BeforeRecording || piece.note == schedule::PieceNote::Unexplained)
        ns += piece.ns;
    return ns;
  }

  const ir::Module& module_;
  const std::vector<PredictedRun> runs_;
  AnalysisManager& analyses_;
  AdviceAnalysis& facts_;
  const RunPredictor& predictor_;
  const int64_t unexplainedNs_;
  const Times base_;
  /// After the changes taken: those of `made_`, for so many items as `items_` has, and then this part of it, for
  /// others.
  Times now_;
  std::vector<ir::Change> made_;
  std::vector<schedule::HostStretch> pauses_;
  double part_ = 1;
  int64_t items_ = 1;
  /// Kernels whose place another one took, and those that only take another time.
  std::set<ir::KernelId> replaced_, changed_;
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
