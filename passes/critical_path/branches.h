/// Branch totals: for each join of the kernel graph, what runs on each way into it since the ways parted.
#pragma once

#include <vector>

#include "ir/facets/critical_path.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/critical_path/longest_paths.h"

namespace amdahlc {

/// Kernels that a branch lists, those nearest to its join: a residual block's, each layer on its own, but not a
/// network's. What joins share would else be listed once for each, which is quadratic.
inline constexpr size_t kMaxListedKernels = 32;

/// Branches of the main graph, by join, then by way into it (graph inputs first). `weights` by kernel id: total ns over
/// the selected iterations, with bodies (LongestPaths::weights). Definitions: docs/passes/critical-path.md.
std::vector<ir::Branch> findBranches(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                                     const IdVector<ir::KernelId, PathWeight>& weights);

}  // namespace amdahlc
