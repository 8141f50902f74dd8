/// The analysis `goal`: the smallest speed-ups of groups with which a run reaches a time (definitions in
/// docs/passes/goal.md). The pass `goal` shows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "passes/curves/timed_groups.h"
#include "passes/manager/analysis.h"
#include "passes/manager/options.h"
#include "replay/scenario/goal_search.h"

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
  /// Per iteration; `baseNs` is what predictions start from.
  double targetNs = 0, baseNs = 0;
  /// By group of the changes of solutions.
  std::vector<std::string> selectors;
  GoalFound found;
  int64_t predictions = 0;

  friend bool operator==(const GoalAnalysis&, const GoalAnalysis&) = default;
};

}  // namespace amdahlc
