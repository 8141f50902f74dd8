/// Branch totals: for each join of the kernel graph, the kernels on each path into it since the paths parted.
#pragma once

#include <vector>

#include "ir/facets/critical_path.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/critical_path/longest_paths.h"

namespace amdahlc {

/// Limit on the kernels that a branch lists; those nearest to the join are kept. It is enough for a residual block, not
/// for a network. Without a limit, kernels that joins share would be listed for each of them, which is quadratic.
inline constexpr size_t kMaxListedKernels = 32;

/// Branches of the main graph, by join, then by predecessor (graph inputs first). `weights` by kernel id: reported
/// times in ns, with bodies (LongestPaths::weights). Definitions: docs/passes/critical-path.md.
std::vector<ir::Branch> findBranches(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                                     const IdVector<ir::KernelId, PathWeight>& weights);

}  // namespace amdahlc
