/// The critical path of the kernels against the factor of a group: exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "support/rational.h"

namespace amdahlc {

/// A path of the kernel graph. With factor f (new time / old time) of the group it takes `restNs` + f * `groupNs`, as
/// totals over the reported iterations.
struct PathLine {
  int64_t restNs = 0, groupNs = 0;
  std::vector<ir::KernelId> kernels;
};

/// The longest path by the factor of one group, from 0 to 1. The longest of all paths at a factor is the largest of
/// their lines, which is convex: where the factor falls, its slope never rises.
struct PathCurve {
  /// From factor 1 down, each the longest path from one break to the next; at least one.
  std::vector<PathLine> lines;
  /// Between them, falling: one less than lines.
  std::vector<Rational> breaks;
  /// False if there were more lines than the search follows.
  bool isComplete = true;

  double lengthNs(const Rational& factor) const;
  /// The index of the line above the knee: the first break below which the slope is at most half of that at 1. nullopt
  /// if there is none, or if the group is not on the path.
  std::optional<size_t> knee() const;
};

/// Where two neighbouring lines meet is asked for the longest path there, which is one of them or a line between them.
/// Cost: two longest paths for each line. Precondition: the cover is timed.
PathCurve pathCurve(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                    const std::vector<ir::KernelId>& group);

}  // namespace amdahlc
