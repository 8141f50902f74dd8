// Objective: few and small speed-ups. A combination costs the sum of the logarithms of its speed-ups, because every
// doubling is taken to be as hard as the one before.
//
// 1. All groups free: the floor. Above the target the goal is out of reach.
// 2. Each group alone: the lowest step that reaches the target, if a free group does.
// 3. Pairs and triples of the groups with the most time that do not overlap. If the sum of two times is bounded, the
//    cheapest way is to make both equally long, and if each of them is, both have the bound as their length. So one
//    number is searched: the length to which all members are cut. Groups may depend on each other in other ways, so
//    that the speed-up which all of them get is searched, too. Then each member is lowered as far as it goes.
// 4. All groups at once, in the same ways, if nothing smaller reached the target.
//
// A combination is kept if it is cheaper than those of a part of its groups. Wall time falls with the factors, and is a
// straight line of a factor over long stretches: so the search for a step guesses by the line, and halves in between.
#include "replay/scenario/goal_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "support/insertion_sort.h"

namespace amdahlc {

namespace {

constexpr int64_t kMostPredictions = 2'000;
/// Events and calls that all predictions may walk over, together: some ten seconds.
constexpr size_t kMostPredictedSize = 150'000'000;
/// Enough for the floor and a few single groups.
constexpr size_t kLeastPredictions = 100;

}  // namespace

double goalTargetNs(const Rational& times, double baseNs, int64_t iterations) {
  const double totalNs = baseNs * static_cast<double>(times.denominator) / static_cast<double>(times.numerator) *
                         static_cast<double>(iterations);
  return std::round(totalNs) / static_cast<double>(iterations);
}

int64_t mostGoalPredictions(const GroupTimesPredictor& times) {
  // With idle time kept a prediction walks over few sets of groups.
  const size_t affordable =
      times.model() == schedule::WallModel::Replay ? kMostPredictedSize / (times.size() + 1) : kMostPredictions;
  return std::min<int64_t>(kMostPredictions, static_cast<int64_t>(std::max(kLeastPredictions, affordable)));
}

Rational factorOf(SpeedupStep step) { return step == kFree ? Rational::of(0) : Rational::of(1'000, step); }

double GoalSolution::cost() const {
  double cost = 1;
  for (const GoalChange& change : changes)
    cost *= change.step == kFree ? std::numeric_limits<double>::infinity()
                                 : static_cast<double>(change.step) / static_cast<double>(kNoSpeedup);
  return cost;
}

namespace {

/// Groups of which pairs and triples are tried: 15 and 20.
constexpr size_t kMostCombined = 6;
constexpr size_t kLargestCombination = 3;

class GoalSearch {
 public:
  GoalSearch(const GroupTimesPredictor& times, int64_t iterations, double targetNs, int64_t mostPredictions,
             const std::function<void(double)>& progress)
      : times_(times),
        iterations_(std::max<int64_t>(1, iterations)),
        targetNs_(targetNs),
        mostPredictions_(mostPredictions),
        progress_(progress) {}

  GoalFound search() {
    baseNs_ = limitNs(timesOf({}));
    Changes all;
    for (size_t group = 0; group < times_.groups().size(); ++group)
      if (!times_.groups()[group].isEmpty()) all.push_back({group, kFree});
    found_.floor = timesOf(all);
    found_.isMet = baseNs_ <= targetNs_;
    found_.isReachable = found_.isMet || limitNs(found_.floor) <= targetNs_;
    if (found_.isMet || !found_.isReachable) return std::move(found_);
    rankGroups();
    trySingles();
    for (size_t members = 2; members <= kLargestCombination && !found_.isCut; ++members) tryCombinations(members);
    if (found_.solutions.empty()) tryAll();
    insertionSort(found_.solutions, [](const GoalSolution& a, const GoalSolution& b) {
      return std::pair(a.cost(), a.changes.size()) < std::pair(b.cost(), b.changes.size());
    });
    if (found_.solutions.size() > kMostSolutions) found_.solutions.resize(kMostSolutions);
    return std::move(found_);
  }

 private:
  struct Ranked {
    size_t group;
    /// What is left of it in wall time if all others are free.
    double aloneNs;
  };
  using Changes = std::vector<GoalChange>;

  double limitNs(const schedule::PredictedTimes& times) const {
    return static_cast<double>(times.limitNs()) / static_cast<double>(iterations_);
  }
  bool reaches(const Changes& changes) const { return limitNs(timesOf(changes)) <= targetNs_; }
  bool isSpent() const { return times_.predictions() >= mostPredictions_; }

  schedule::PredictedTimes timesOf(const Changes& changes) const {
    progress_(std::min(1.0, static_cast<double>(times_.predictions()) / static_cast<double>(mostPredictions_)));
    std::vector<GroupFactor> factors;
    for (const GoalChange& change : changes)
      if (change.step != kNoSpeedup) factors.push_back({change.group, factorOf(change.step)});
    return times_.timesUnder(factors);
  }

  void rankGroups() {
    for (size_t group = 0; group < times_.groups().size(); ++group) {
      if (times_.groups()[group].isEmpty()) continue;
      Changes others;
      for (size_t other = 0; other < times_.groups().size(); ++other)
        if (other != group && !times_.groups()[other].isEmpty()) others.push_back({other, kFree});
      ranked_.push_back({group, limitNs(timesOf(others)) - limitNs(found_.floor)});
    }
    insertionSort(ranked_, [](const Ranked& a, const Ranked& b) { return a.aloneNs > b.aloneNs; });
  }

  /// The steps of `shape(step)` for the lowest step with which it reaches the goal, each made as low as it can be.
  /// `shape(high)` must reach it.
  template <typename Shape>
  Changes lowest(SpeedupStep low, SpeedupStep high, const Shape& shape) const {
    const auto at = [&](SpeedupStep step) { return limitNs(timesOf(shape(step))); };
    double lowNs = low == kNoSpeedup ? baseNs_ : at(low), highNs = at(high);
    if (lowNs <= targetNs_) return shape(low);
    // Invariant: `low` does not reach the goal, `high` does.
    enum class Guess : uint8_t { Line, Neighbour, Halving };
    Guess guess = Guess::Line;
    bool lastReached = false;
    while (high - low > 1) {
      SpeedupStep step = low + (high - low) / 2;
      if (guess == Guess::Line && lowNs > highNs) {
        const double lowFactor = factorOf(low).toDouble(), highFactor = factorOf(high).toDouble();
        const double factor = highFactor + (lowFactor - highFactor) * (targetNs_ - highNs) / (lowNs - highNs);
        step = factor * static_cast<double>(kMostSpeedup) > kNoSpeedup
                   ? static_cast<SpeedupStep>(std::ceil(static_cast<double>(kNoSpeedup) / factor))
                   : kMostSpeedup;
      } else if (guess == Guess::Neighbour) {
        step = lastReached ? high - 1 : low + 1;
      } else if (high > 4 * low) {
        step = static_cast<SpeedupStep>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
      }
      step = std::clamp(step, low + 1, high - 1);
      const double ns = at(step);
      lastReached = ns <= targetNs_;
      (lastReached ? high : low) = step;
      (lastReached ? highNs : lowNs) = ns;
      guess = guess == Guess::Line ? Guess::Neighbour : guess == Guess::Neighbour ? Guess::Halving : Guess::Line;
    }
    return shape(high);
  }

  Changes minimal(Changes changes) const {
    // Small groups first, so that those that hardly help are left out.
    const auto placeOf = [&](size_t group) { return std::ranges::find(ranked_, group, &Ranked::group); };
    insertionSort(changes,
                  [&](const GoalChange& a, const GoalChange& b) { return placeOf(a.group) > placeOf(b.group); });
    for (bool isLowered = true; isLowered;) {
      isLowered = false;
      for (size_t i = 0; i < changes.size() && !isSpent(); ++i) {
        const SpeedupStep before = changes[i].step;
        const auto shape = [&](SpeedupStep step) {
          Changes changed = changes;
          changed[i].step = step;
          return changed;
        };
        if (before == kNoSpeedup || !reaches(shape(before - 1))) continue;
        if (reaches(shape(kNoSpeedup)))
          changes[i].step = kNoSpeedup;
        else
          changes = before - 1 > kNoSpeedup + 1 ? lowest(kNoSpeedup + 1, before - 1, shape) : shape(before - 1);
        isLowered = true;
      }
    }
    std::erase_if(changes, [](const GoalChange& change) { return change.step == kNoSpeedup; });
    insertionSort(changes, [](const GoalChange& a, const GoalChange& b) { return a.group < b.group; });
    return changes;
  }

  void keep(const Changes& changes) {
    GoalSolution solution{changes, timesOf(changes)};
    const auto isPartOf = [](const GoalSolution& part, const GoalSolution& whole) {
      return std::ranges::includes(whole.changes, part.changes, {}, &GoalChange::group, &GoalChange::group);
    };
    for (const GoalSolution& other : found_.solutions)
      if (isPartOf(other, solution) && other.cost() <= solution.cost()) return;
    std::erase_if(found_.solutions, [&](const GoalSolution& other) {
      return isPartOf(solution, other) && solution.cost() <= other.cost();
    });
    found_.solutions.push_back(std::move(solution));
  }

  /// Keeps the changes made as low as they can be; not if the predictions are spent before that is known.
  void keepMinimal(Changes changes) {
    changes = minimal(std::move(changes));
    // Nobody knows whether less would do.
    if (isSpent())
      found_.isCut = true;
    else
      keep(changes);
  }

  void trySingles() {
    for (const Ranked& one : ranked_) {
      if (isSpent()) {
        found_.isCut = found_.isCutToSingles = true;
        return;
      }
      const auto shape = [&](SpeedupStep step) { return Changes{{one.group, step}}; };
      if (reaches(shape(kFree))) keep(lowest(kNoSpeedup, kFree, shape));
    }
  }

  void combine(const std::vector<Ranked>& members, SpeedupStep most) {
    const auto equal = [&](SpeedupStep step) {
      Changes changes;
      for (const Ranked& one : members) changes.push_back({one.group, step});
      return changes;
    };
    if (!reaches(equal(most))) return;
    keepMinimal(lowest(kNoSpeedup, most, equal));
    const double longestNs = members.front().aloneNs;
    if (longestNs <= 0) return;
    const auto level = [&](SpeedupStep step) {
      Changes changes;
      for (const Ranked& one : members) {
        const double share = one.aloneNs / longestNs * static_cast<double>(step);
        changes.push_back({one.group, step == kFree && one.aloneNs > 0
                                          ? kFree
                                          : std::clamp<SpeedupStep>(std::llround(share), kNoSpeedup, kMostSpeedup)});
      }
      return changes;
    };
    if (!isSpent() && reaches(level(most))) keepMinimal(lowest(kNoSpeedup, most, level));
  }

  void tryCombinations(size_t members) {
    const size_t count = std::min(ranked_.size(), kMostCombined);
    if (members > count) return;
    // Sets in the order of their best members.
    std::vector<bool> isChosen(count, false);
    std::fill_n(isChosen.begin(), members, true);
    bool isFirst = members == 2;
    do {
      if (isSpent()) {
        found_.isCut = true;
        found_.isCutToSingles |= isFirst;
        return;
      }
      isFirst = false;
      std::vector<Ranked> set;
      bool overlaps = false;
      for (size_t i = 0; i < count; ++i) {
        if (!isChosen[i]) continue;
        for (const Ranked& other : set)
          overlaps |= times_.groups()[other.group].overlaps(times_.groups()[ranked_[i].group]);
        set.push_back(ranked_[i]);
      }
      if (!overlaps) combine(set, kMostSpeedup);
    } while (std::prev_permutation(isChosen.begin(), isChosen.end()));
  }

  void tryAll() {
    combine(ranked_, kMostSpeedup);
    if (found_.solutions.empty()) combine(ranked_, kFree);
  }

  const GroupTimesPredictor& times_;
  const int64_t iterations_;
  const double targetNs_;
  const int64_t mostPredictions_;
  const std::function<void(double)>& progress_;
  double baseNs_ = 0;
  /// The most time first.
  std::vector<Ranked> ranked_;
  GoalFound found_;
};

}  // namespace

GoalFound findGoal(const GroupTimesPredictor& times, int64_t iterations, double targetNs, int64_t mostPredictions,
                   const std::function<void(double)>& progress) {
  return GoalSearch(times, iterations, targetNs, mostPredictions, progress).search();
}

}  // namespace amdahlc
