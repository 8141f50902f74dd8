#include "ir/kernel_accesses.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace amdahlc::ir {

namespace {

/// What the bodies of an operator read from outside of it.
CompressedRows<OpId, ValueId> capturedValues(const Module& module, const OperatorGraph& graph) {
  std::vector<std::pair<OpId, ValueId>> captured;
  const auto capture = [&](GraphId from, ValueId value) {
    const GraphId home = module.values[value].graph;
    for (size_t level = 0; from != home && level < module.graphs.size(); ++level) {
      const OpId owner = graph.parent(from);
      if (owner.isNone()) return;
      captured.emplace_back(owner, value);
      from = graph.graph(owner);
    }
  };
  for (const OpId op : graph.order()) {
    if (graph.graph(op) == kMainGraph) continue;
    for (const ValueId value : graph.inputs(op))
      if (!value.isNone()) capture(graph.graph(op), value);
  }
  for (const GraphId body : module.graphs.ids()) {
    if (body == kMainGraph || !graph.isLive(graph.parent(body))) continue;
    for (const ValueId value : module.graphs[body].outputs)
      if (!value.isNone()) capture(body, value);
  }
  return {module.ops.size(), captured};
}

}  // namespace

KernelAccesses::KernelAccesses(const Module& module, const OperatorGraph& graph, const Cover& cover) {
  const CompressedRows<OpId, ValueId> captured = capturedValues(module, graph);
  const KernelHolders holders(module, cover.kernels);
  for (const Kernel& kernel : cover.kernels) {
    std::vector<OpId> ops = kernel.ops;
    std::ranges::sort(ops);
    const auto read = [&](ValueId value) {
      if (value.isNone()) return;
      const OpId producer = graph.producer(value);
      if (producer.isNone() || !holders.holds(kernel.id, producer)) reads_.append(value);
    };
    for (const OpId op : ops) {
      for (const ValueId value : graph.inputs(op)) read(value);
      for (const ValueId value : captured[op]) read(value);
      for (const ValueId value : graph.outputs(op)) {
        if (value.isNone() || graph.producer(value) != op) continue;
        const auto uses = graph.uses(value);
        const bool isInside =
            !uses.empty() && !graph.isGraphOutput(value) &&
            std::ranges::all_of(uses, [&](const auto& use) { return holders.holds(kernel.id, use.op); });
        if (!isInside && holders.supplier(value, op) == kernel.id) writes_.append(value);
      }
    }
    reads_.endRow();
    writes_.endRow();
  }
}

}  // namespace amdahlc::ir
