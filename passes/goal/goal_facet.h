/// The facet `goal`: the speed-ups with which each run reaches a time. Established by the pass `goal`.
#pragma once

#include <string>
#include <vector>

#include "ir/facets/stored_facet.h"
#include "passes/goal/goal_search.h"

namespace amdahlc {

struct GoalFacet final : ir::TransientFacetOf<GoalFacet, ir::Facet::Goal> {
  /// Wall time is replayed; else idle time is kept.
  bool isReplayed = false;
  /// The goal is about wall time; else, of a run without, about busy time.
  bool isWall = true;
  /// Per iteration.
  double targetNs = 0, measuredNs = 0;
  /// By group of the changes of solutions.
  std::vector<std::string> selectors;
  GoalFound found;
  int64_t predictions = 0;

  friend bool operator==(const GoalFacet&, const GoalFacet&) = default;
};

}  // namespace amdahlc
