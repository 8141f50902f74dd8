/// Which kernels of a run become one in a scenario that fuses.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"

namespace amdahlc {

struct FusedKernels {
  /// Each of two kernels or more, ascending; no kernel is in two of them.
  std::vector<std::vector<ir::KernelId>> groups;
  /// Why kernels that were asked for stay as they are, as clauses.
  std::vector<std::string> declined;
};

/// The kernels of each match of a rule that the selector names and that the cover does not use. Of rules for several
/// targets, those count that hold for the target of the run, if there are some. Of matches that overlap, the first in
/// order of candidates. A kernel that reaches beyond the match keeps it from being fused. `selector` has the kind that
/// `withKind` decides.
FusedKernels fusedByRules(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                          const ir::Selector& selector);

/// Of the given kernels, ascending, those that follow one another in the kernel graph become one. A group that other
/// kernels need to run in between is declined.
FusedKernels fusedNeighbours(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& kernels);

/// Groups that share kernels are one. Of those, what other kernels must run in between is declined as a whole.
FusedKernels mergedGroups(const ir::KernelGraph& graph, const std::vector<std::vector<ir::KernelId>>& groups);

}  // namespace amdahlc
