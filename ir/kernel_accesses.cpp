#include "ir/kernel_accesses.h"

#include <algorithm>

namespace amdahlc::ir {

KernelAccesses::KernelAccesses(const Module& module, const OperatorGraph& graph, const Cover& cover)
    : graph_(graph), holders_(module, cover.kernels) {
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
  captured_ = CompressedRows<OpId, ValueId>(module.ops.size(), captured);
}

std::vector<ValueId> KernelAccesses::reads(const Kernel& kernel) const {
  std::vector<OpId> ops = kernel.ops;
  std::ranges::sort(ops);
  std::vector<ValueId> values;
  const auto add = [&](ValueId value) {
    if (value.isNone()) return;
    const OpId producer = graph_.producer(value);
    if (producer.isNone() || !holders_.holds(kernel.id, producer)) values.push_back(value);
  };
  for (const OpId op : ops) {
    for (const ValueId value : graph_.inputs(op)) add(value);
    for (const ValueId value : captured_[op]) add(value);
  }
  return values;
}

std::vector<ValueId> KernelAccesses::writes(const Kernel& kernel) const {
  std::vector<OpId> ops = kernel.ops;
  std::ranges::sort(ops);
  std::vector<ValueId> values;
  for (const OpId op : ops) {
    for (const ValueId value : graph_.outputs(op)) {
      if (value.isNone() || graph_.producer(value) != op) continue;
      const auto uses = graph_.uses(value);
      const bool isInside =
          !uses.empty() && !graph_.isGraphOutput(value) &&
          std::ranges::all_of(uses, [&](const auto& use) { return holders_.holds(kernel.id, use.op); });
      if (!isInside && holders_.supplier(value, op) == kernel.id) values.push_back(value);
    }
  }
  return values;
}

}  // namespace amdahlc::ir
