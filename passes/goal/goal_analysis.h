/// The analysis `goal`: the speed-ups with which a run reaches a time. The pass `goal` shows it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/goal/goal_search.h"
#include "passes/manager/analysis.h"
#include "passes/manager/time_goal.h"

namespace amdahlc {

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
  /// Per iteration.
  double targetNs = 0, measuredNs = 0;
  /// By group of the changes of solutions.
  std::vector<std::string> selectors;
  GoalFound found;
  int64_t predictions = 0;

  friend bool operator==(const GoalAnalysis&, const GoalAnalysis&) = default;
};

}  // namespace amdahlc
