/// The analysis `goal`: the smallest speed-ups of groups with which a run reaches a time (definitions in
/// docs/passes/goal.md). The pass `goal` shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "passes/curves/group_times.h"
#include "passes/manager/analysis.h"
#include "passes/manager/options.h"

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

/// Each solution reaches the goal, and none of its speed-ups can be lowered by one step alone. `targetNs` is per
/// iteration. No search begins after `mostPredictions`. `progress` gets the fraction of these that are made before
/// each.
GoalFound findGoal(
    const GroupTimesPredictor& times, int64_t iterations, double targetNs, int64_t mostPredictions,
    const std::function<void(double)>& progress = [](double) {});

struct GoalAnalysis {
  static constexpr const char* kName = "goal";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};
  struct Options {
    TimeGoal target;
    /// What may become faster; empty: everything.
    NamedGroups groups;
    friend bool operator==(const Options&, const Options&) = default;
  };
  GoalAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// The goal is about wall time; of a run without, about busy time.
  schedule::WallModel model = schedule::WallModel::Unknown;
  /// Per iteration; `baseNs` is what predictions start from.
  double targetNs = 0, baseNs = 0;
  /// By group of the changes of solutions.
  std::vector<std::string> selectors;
  GoalFound found;
  int64_t predictions = 0;

  friend bool operator==(const GoalAnalysis&, const GoalAnalysis&) = default;
};

}  // namespace amdahlc
