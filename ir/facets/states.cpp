#include "ir/facets/states.h"

#include <algorithm>

#include "ir/kernel_graph.h"

namespace amdahlc::ir {

KernelState kernelState(const Module& module, const Cover& cover, KernelId kernel) {
  if (const auto* bound = cover.facets.get<BoundFacet>()) return bound->kernels[kernel].state;
  return hasNoDeviceWork(module, cover.kernels[kernel]) ? KernelState::NoDeviceWork : KernelState::Unbound;
}

std::string_view name(NodeState state) {
  switch (state) {
    // A node has the word of its kernel.
    case NodeState::Bound:
      return name(KernelState::Bound);
    case NodeState::Ambiguous:
      return name(KernelState::Ambiguous);
    case NodeState::Absorbed:
      return "absorbed";
    case NodeState::NoDeviceWork:
      return name(KernelState::NoDeviceWork);
    case NodeState::Folded:
      return "folded";
    case NodeState::NotExecuted:
      return name(KernelState::NotExecuted);
    case NodeState::Missed:
      return name(KernelState::Unbound);
  }
  return {};
}

IdVector<OpId, NodeReport> nodeReports(const Module& module, const Cover& cover) {
  const auto fromKernel = [](KernelState state) {
    switch (state) {
      case KernelState::Bound:
        return NodeState::Bound;
      case KernelState::NoDeviceWork:
        return NodeState::NoDeviceWork;
      case KernelState::NotExecuted:
        return NodeState::NotExecuted;
      case KernelState::Ambiguous:
        return NodeState::Ambiguous;
      case KernelState::Unbound:
        break;
    }
    return NodeState::Missed;
  };
  IdVector<OpId, NodeReport> reports(module.ops.size());
  for (const Kernel& kernel : cover.kernels) {
    for (const OpId op : kernel.ops) {
      NodeReport& report = reports[op];
      // A recomputed operator ran if any of its kernels did. The order of the enumerators gives the combined state.
      const NodeState state = fromKernel(kernelState(module, cover, kernel.id));
      report.state = report.kernels.empty() ? state : std::min(report.state, state);
      report.kernels.push_back(kernel.id);
    }
  }
  for (const OpId op : module.ops.ids()) {
    if (module.ops[op].state == OpState::Folded) reports[op].state = NodeState::Folded;
    if (module.ops[op].state != OpState::Absorbed) continue;
    reports[op].state = NodeState::Absorbed;
    if (module.ops.contains(module.ops[op].absorbedInto))
      reports[op].kernels = reports[module.ops[op].absorbedInto].kernels;
  }
  return reports;
}

}  // namespace amdahlc::ir
