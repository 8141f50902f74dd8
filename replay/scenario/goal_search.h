/// The search for the smallest speed-ups of groups with which a run reaches a time (definitions in
/// docs/passes/goal.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/scenario/group_times.h"

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
  /// The product of the speed-ups: two groups that are twice as fast cost as much as one that is
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

/// Each solution reaches the goal, and none of its speed-ups can be lowered by one step alone. `targetNs` is per
/// iteration. No search begins after `mostPredictions`. `progress` gets the fraction of these that are made before
/// each.
GoalFound findGoal(
    const GroupTimesPredictor& times, int64_t iterations, double targetNs, int64_t mostPredictions,
    const std::function<void(double)>& progress = [](double) {});

/// The time of an iteration that is so many times shorter than `baseNs`. The time of all reported ones is a whole
/// number, as predicted times are.
double goalTargetNs(const Rational& times, double baseNs, int64_t iterations);

/// How many predictions a search makes at most: some ten seconds of them.
int64_t mostGoalPredictions(const GroupTimesPredictor& times);

}  // namespace amdahlc
