#include "ir/facets/states.h"

#include <algorithm>
#include <utility>

#include "ir/kernel_graph.h"

namespace amdahlc::ir {

KernelState kernelState(const Module& module, const Cover& cover, KernelId kernel) {
  if (const auto* bound = cover.facets.get<BoundFacet>()) return bound->kernels[kernel].state;
  return hasNoDeviceWork(module, cover.kernels[kernel]) ? KernelState::NoDeviceWork : KernelState::Unbound;
}

namespace {

/// The states of nodes that are those of their kernels.
constexpr std::pair<NodeState, KernelState> kOfKernels[] = {{NodeState::Bound, KernelState::Bound},
                                                            {NodeState::Ambiguous, KernelState::Ambiguous},
                                                            {NodeState::NoDeviceWork, KernelState::NoDeviceWork},
                                                            {NodeState::NotExecuted, KernelState::NotExecuted},
                                                            {NodeState::Missed, KernelState::Unbound}};

}  // namespace

std::string_view name(NodeState state) {
  for (const auto& [node, kernel] : kOfKernels)
    if (node == state) return name(kernel);
  return state == NodeState::Absorbed ? "absorbed" : "folded";
}

IdVector<OpId, NodeReport> nodeReports(const Module& module, const Cover& cover) {
  const auto fromKernel = [](KernelState state) {
    return std::ranges::find(kOfKernels, state, &std::pair<NodeState, KernelState>::second)->first;
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
