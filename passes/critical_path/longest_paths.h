/// Longest paths and slack in the kernel graph of a cover, for any weights: measured times, or those of a scenario.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

/// Wide enough for sums of scaled nanoseconds (a scenario scales by the common denominator of its factors).
using PathWeight = __int128;

/// Longest paths by weights of kernels (definitions in docs/passes/critical-path.md).
///
/// The reported path is in the main graph. The weight of a control-flow operator is its own time and that of all
/// kernels of its bodies. Each body has a longest path of its own. The slack of a kernel in a body is its slack there
/// plus the slack of the operator.
class LongestPaths {
 public:
  /// Precondition: no weight is negative.
  LongestPaths(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
               const IdVector<ir::KernelId, PathWeight>& weights);

  PathWeight length() const { return length_; }
  /// Kernels of the main graph, from the start.
  const std::vector<ir::KernelId>& path() const { return path_; }
  /// Number of other longest paths; ir::kMaxTies for as many or more.
  int64_t ties() const { return ties_; }
  PathWeight slack(ir::KernelId kernel) const { return slack_[kernel]; }
  /// Whether the kernel is on the reported path. Never true inside a body.
  bool critical(ir::KernelId kernel) const { return critical_[kernel]; }
  /// The weight of a kernel in its graph; of a control-flow operator, with its bodies.
  PathWeight weight(ir::KernelId kernel) const { return weight_[kernel]; }
  const IdVector<ir::KernelId, PathWeight>& weights() const { return weight_; }

  friend bool operator==(const LongestPaths&, const LongestPaths&) = default;

 private:
  struct GraphPath;
  GraphPath longestPath(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& kernels);

  PathWeight length_ = 0;
  std::vector<ir::KernelId> path_;
  int64_t ties_ = 0;
  IdVector<ir::KernelId, PathWeight> weight_, slack_, fromStart_;
  /// Longest ways from a start of its graph to the kernel, saturating.
  IdVector<ir::KernelId, int64_t> ways_;
  IdVector<ir::KernelId, bool> critical_;
};

/// The critical path of a timed cover: longest paths by the reported time of each kernel; 0 for a kernel without
/// events. A scenario has weights of its own and uses `LongestPaths` directly.
class PathAnalysis : public LongestPaths {
 public:
  static constexpr const char* kName = "critical-path";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound, ir::Facet::Timed};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Timed};

  PathAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);
};

}  // namespace amdahlc
