/// Longest paths and slack over the kernel graph of a cover, for any weights: measured times, or a scenario's.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"

namespace amdahlc {

/// Wide enough for sums of scaled nanoseconds (a scenario scales by the common denominator of its factors).
using PathWeight = __int128;

/// Longest paths by weights of kernels (definitions in docs/passes/critical-path.md).
///
/// The reported path lies in the main graph. A control-flow operator weighs its own time and that of all kernels of its
/// bodies; each body has a longest path of its own, and a body kernel's slack is its slack there plus the slack of the
/// operator.
class LongestPaths {
 public:
  /// No weight is negative.
  LongestPaths(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
               const IdVector<ir::KernelId, PathWeight>& weights);

  PathWeight length() const { return length_; }
  /// From the start, kernels of the main graph.
  const std::vector<ir::KernelId>& path() const { return path_; }
  /// Number of longest paths beyond the reported one, saturating.
  int64_t ties() const { return ties_; }
  PathWeight slack(ir::KernelId kernel) const { return slack_[kernel]; }
  /// On the reported path; so never a kernel inside a body.
  bool critical(ir::KernelId kernel) const { return critical_[kernel]; }
  /// What a kernel weighs in its graph: with its bodies, for a control-flow operator.
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
  IdVector<ir::KernelId, bool> critical_;
};

}  // namespace amdahlc
