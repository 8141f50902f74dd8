/// Branch totals: for each join of the kernel graph, what runs on each way into it since the ways parted.
#pragma once

#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/critical_path/longest_paths.h"

namespace amdahlc {

/// Branches of the main graph, by (join, predecessor), graph inputs before kernels (definitions: "Branches"). Weights as `LongestPaths::weights`.
/// The immediate dominator comes from Lengauer and Tarjan's algorithm (Boost.Graph) on the kernel graph with graph inputs as vertices and a
/// virtual entry before them and before kernels without any predecessor.
std::vector<ir::Branch> findBranches(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                                     const IdVector<ir::KernelId, PathWeight>& weights);

}  // namespace amdahlc
