#include "replay/module/searches.h"

#include <cmath>

#include "replay/scenario/goal_search.h"
#include "replay/scenario/wall_curve.h"

namespace amdahlc {
namespace {

/// Labels that may limit beyond a knee, as passes/curves has them.
constexpr size_t kMostLimits = 12;

}  // namespace

void append(const schedule::PredictedTimes& times, std::vector<int64_t>& out) {
  out.insert(out.end(), {static_cast<int64_t>(times.model), times.busyNs, times.wallNs.value_or(-1),
                         times.windowNs.value_or(-1), static_cast<int64_t>(times.caution)});
}

RunSearches::RunSearches(const ReadRun& run) : run_(run) {
  for (const uint32_t change : run.offer().groups)
    groups_.push_back(timedGroupOf(run.offer().changes[change], run.kernels()));
}

const GroupTimesPredictor& RunSearches::groupTimes() {
  if (!groupTimes_) groupTimes_.emplace(run_.predictor(), run_.kernels(), groups_);
  return *groupTimes_;
}

bool RunSearches::beginCurve(uint32_t change, std::span<const ChosenChange> beside) {
  const ChosenChange free{change, ChangeOrder::NewTime, Rational::of(0)};
  if (!takes(run_.offer(), free)) return false;
  change_ = change;
  beside_.clear();
  for (const ChosenChange& one : beside)
    if (one.change != change || one.order != ChangeOrder::NewTime) beside_.push_back(one);
  known_.clear();
  return true;
}

bool RunSearches::curve(int64_t mostNew, std::vector<int64_t>& out) {
  out.clear();
  if (!change_) return false;
  const Offer& offer = run_.offer();
  bool isStopped = false;
  const auto timesOf = [&](const Rational& factor, std::optional<size_t> other) {
    const std::pair key(other.value_or(groups_.size()), factor);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    isStopped |= mostNew <= 0;
    if (isStopped) return run_.predictor().base();
    --mostNew;
    // The later new time of a kernel counts.
    std::vector<ChosenChange> chosen = beside_;
    if (other) chosen.push_back({offer.groups[*other], ChangeOrder::NewTime, kSmallSpeedup});
    chosen.push_back({*change_, ChangeOrder::NewTime, factor});
    Conflict conflict = Conflict::None;
    return known_.emplace(key, run_.predict(chosen, conflict).value_or(run_.predictor().base())).first->second;
  };
  CurveTimes times{run_.predictor().model(),
                   run_.predictor().size(),
                   offer.iterations,
                   [&](const Rational& factor, std::optional<size_t> other) {
                     return static_cast<double>(timesOf(factor, other).limitNs());
                   },
                   {}};
  for (size_t group = 0; group < groups_.size(); ++group)
    if (offer.groups[group] != *change_ &&
        (group < kMostLimits || groups_[group].hasHost || groups_[group].hasLaunches))
      times.others.push_back(group);
  const WallCurve found = wallCurve(times);
  const TimedGroup own = timedGroupOf(offer.changes[*change_], run_.kernels());
  const auto limitAt = [&](const Rational& factor) {
    return static_cast<double>(timesOf(factor, std::nullopt).limitNs());
  };
  double ownNs = 0;
  for (const KernelId kernel : own.kernels) ownNs += static_cast<double>(run_.kernels().kernelNs[kernel]);
  const bool isHostNext = found.rest && (groups_[*found.rest].hasHost || groups_[*found.rest].hasLaunches);
  const Flatness flat = whyFlat(own, limitAt(Rational::of(1)), limitAt(Rational::of(0)), ownNs, isHostNext);
  const auto placeOf = [](std::optional<size_t> group) { return group ? static_cast<int64_t>(*group) : -1; };
  const Rational knee = found.knee.value_or(Rational{0, 0});
  out = {found.isComplete,
         knee.numerator,
         knee.denominator,
         placeOf(found.next),
         placeOf(found.rest),
         static_cast<int64_t>(flat.reason),
         std::llround(flat.share * 1e6),
         static_cast<int64_t>(timesOf(Rational::of(0), std::nullopt).caution)};
  for (const Rational& factor : found.factors) {
    out.insert(out.end(), {factor.numerator, factor.denominator});
    append(timesOf(factor, std::nullopt), out);
  }
  return !isStopped;
}

bool RunSearches::goal(int64_t numerator, int64_t denominator, int64_t mostNew, std::vector<int64_t>& out) {
  out.clear();
  const GroupTimesPredictor& times = groupTimes();
  times.begin(mostNew);
  const int64_t iterations = run_.offer().iterations;
  const double baseNs = static_cast<double>(times.timesUnder({}).limitNs()) / static_cast<double>(iterations);
  const double targetNs = denominator == 0 ? static_cast<double>(numerator)
                                           : goalTargetNs(Rational::of(numerator, denominator), baseNs, iterations);
  const GoalFound found = findGoal(times, iterations, targetNs, mostGoalPredictions(times));
  out = {found.isMet, found.isReachable, found.isCut, found.isCutToSingles, times.predictions(), std::llrint(targetNs)};
  append(found.floor, out);
  for (const GoalSolution& solution : found.solutions) {
    append(solution.times, out);
    out.push_back(static_cast<int64_t>(solution.changes.size()));
    for (const GoalChange& change : solution.changes)
      out.insert(out.end(), {static_cast<int64_t>(change.group), change.step});
  }
  return !times.isStopped();
}

bool RunSearches::effects(int64_t mostNew, std::vector<int64_t>& out) {
  out.clear();
  const GroupTimesPredictor& times = groupTimes();
  times.begin(mostNew);
  for (size_t group = 0; group < groups_.size(); ++group)
    for (const Rational& factor : {Rational::of(1, 2), Rational::of(0)}) {
      const GroupFactor one{group, factor};
      append(times.timesUnder({&one, 1}), out);
    }
  return !times.isStopped();
}

}  // namespace amdahlc
