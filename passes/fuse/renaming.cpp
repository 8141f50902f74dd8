#include "passes/fuse/renaming.h"

#include <algorithm>

#include "ir/facets/bound.h"
#include "ir/kernel_graph.h"
#include "passes/fuse/applicability.h"

namespace amdahlc {

using ir::KernelId;
using ir::OpId;

IdVector<KernelId, bool> renamingKernels(const ir::Module& module, const ir::Cover& cover) {
  const auto* bound = cover.facets.get<ir::BoundFacet>();
  const Timeline* run = module.findTimeline(cover.traceLabel);
  const std::vector<ir::OperatorName> views = viewsOn(module.rules, run != nullptr ? run->target : module.target);
  const auto isView = [&](OpId op) {
    return std::any_of(views.begin(), views.end(), [&](const ir::OperatorName& name) {
      return name.domain == module.text(module.ops[op].domain) && name.type == module.text(module.ops[op].type);
    });
  };
  IdVector<KernelId, bool> renames(cover.kernels.size(), false);
  for (const ir::Kernel& kernel : cover.kernels) {
    if (bound != nullptr && !bound->kernels[kernel.id].events.empty()) continue;
    renames[kernel.id] = ir::hasNoDeviceWork(module, kernel) ||
                         (bound != nullptr && bound->kernels[kernel.id].state == ir::KernelState::NoDeviceWork) ||
                         std::all_of(kernel.ops.begin(), kernel.ops.end(), isView);
  }
  return renames;
}

IdVector<OpId, bool> renamingOperators(const ir::Module& module, const ir::OperatorGraph& graph,
                                       const ir::KernelAccesses& accesses, const IdVector<KernelId, bool>& kernels) {
  IdVector<OpId, bool> renames(module.ops.size(), false);
  for (const OpId op : graph.order()) {
    const auto holders = accesses.holders(op);
    renames[op] = std::all_of(holders.begin(), holders.end(), [&](KernelId kernel) { return kernels[kernel]; });
  }
  return renames;
}

}  // namespace amdahlc
