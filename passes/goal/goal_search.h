/// Finds the smallest speed-ups of groups with which a run reaches a time (definitions in docs/passes/goal.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "passes/curves/group_times.h"

namespace amdahlc {

/// A speed-up in thousandths: the grid of the search, from 1 to 1000 times as fast, and beyond it a group that costs
/// nothing.
using SpeedupStep = int64_t;
inline constexpr SpeedupStep kNoSpeedup = 1'000, kMostSpeedup = 1'000'000, kFree = kMostSpeedup + 1;
/// New time / old time; 0 if it costs nothing.
Rational factorOf(SpeedupStep step);

struct GoalChange {
  /// Of the predictor.
  size_t group;
  SpeedupStep step;
  friend bool operator==(const GoalChange&, const GoalChange&) = default;
};

struct GoalSolution {
  /// None is `kNoSpeedup`; in the order of groups.
  std::vector<GoalChange> changes;
  schedule::PredictedTimes times;
  /// The sum of the binary logarithms of the speed-ups: two groups that are twice as fast cost as much as one that is
  /// four times as fast.
  double cost() const;
  friend bool operator==(const GoalSolution&, const GoalSolution&) = default;
};

struct GoalFound {
  /// The times with all groups free.
  schedule::PredictedTimes floor;
  bool isMet = false, isReachable = false;
  /// The cheapest first, at most kMostSolutions; empty if the goal is met without.
  std::vector<GoalSolution> solutions;
  /// Whether the number of predictions ended the search; and whether only single groups were tried by then.
  bool isCut = false, isCutToSingles = false;
  friend bool operator==(const GoalFound&, const GoalFound&) = default;
};

inline constexpr size_t kMostSolutions = 5;

class GoalSearch {
 public:
  /// `targetNs` is per iteration. `times` must outlive it. No search begins after `mostPredictions`. `progress` gets
  /// the fraction of these that are made before each.
  GoalSearch(
      const GroupTimesPredictor& times, int64_t iterations, double targetNs, int64_t mostPredictions,
      std::function<void(double)> progress = [](double) {});

  /// Each solution reaches the goal, and none of its speed-ups can be lowered by one step alone.
  GoalFound search();

 private:
  struct Ranked {
    size_t group;
    /// What is left of it in wall time if all others are free.
    double aloneNs;
  };
  using Changes = std::vector<GoalChange>;

  schedule::PredictedTimes timesOf(const Changes& changes) const;
  double limitNs(const schedule::PredictedTimes& times) const {
    return static_cast<double>(times.limitNs()) / static_cast<double>(iterations_);
  }
  bool reaches(const Changes& changes) const { return limitNs(timesOf(changes)) <= targetNs_; }
  bool isSpent() const { return times_.predictions() >= mostPredictions_; }

  void rankGroups();
  void trySingles();
  void tryCombinations(size_t members);
  void tryAll();
  /// The steps of `shape(step)` for the lowest step with which it reaches the goal, each made as low as it can be.
  /// `shape(high)` must reach it.
  template <typename Shape>
  Changes lowest(SpeedupStep low, SpeedupStep high, const Shape& shape) const;
  Changes minimal(Changes changes) const;
  void combine(const std::vector<Ranked>& members, SpeedupStep most);
  void keep(const Changes& changes);
  /// Keeps the changes made as low as they can be; not if the predictions are spent before that is known.
  void keepMinimal(Changes changes);

  const GroupTimesPredictor& times_;
  const int64_t iterations_;
  const double targetNs_;
  const int64_t mostPredictions_;
  const std::function<void(double)> progress_;
  double measuredNs_ = 0;
  /// The most time first.
  std::vector<Ranked> ranked_;
  GoalFound found_;
};

}  // namespace amdahlc
