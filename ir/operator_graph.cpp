#include "ir/operator_graph.h"

#include <algorithm>

#include "support/sort_unique.h"

namespace amdahlc::ir {

OperatorGraph::OperatorGraph(const Module& module) {
  for (const Graph& graph : module.graphs) parent_.push_back(graph.parent);
  copyOperands(module);
  orderOperators(module);
  classifyValues(module);
  collectUses(module);
  connect(module);
}

void OperatorGraph::copyOperands(const Module& module) {
  graph_.reserve(module.ops.size());
  for (const Op& op : module.ops) {
    graph_.push_back(op.graph);
    for (const ValueId input : op.inputs) inputs_.append(input);
    for (const ValueId output : op.outputs) outputs_.append(output);
    inputs_.endRow();
    outputs_.endRow();
  }
}

void OperatorGraph::orderOperators(const Module& module) {
  position_.assign(module.ops.size(), kNoIndex);
  order_.reserve(module.ops.size());
  IdVector<GraphId, bool> entered(module.graphs.size(), false);
  std::vector<std::pair<GraphId, size_t>> pending;  // graph, next index in its order
  const auto enter = [&](GraphId graph) {
    if (!module.graphs.contains(graph) || entered[graph]) return;
    entered[graph] = true;
    pending.emplace_back(graph, 0);
  };
  // The main graph reaches every region of a live operator. The loop is for regions of removed operators.
  for (const GraphId start : module.graphs.ids()) {
    enter(start);
    while (!pending.empty()) {
      auto& [graph, next] = pending.back();
      const auto& order = module.graphs[graph].order;
      if (next == order.size()) {
        pending.pop_back();
        continue;
      }
      const OpId op = order[next++];
      if (module.ops[op].state != OpState::Live || position_[op] != kNoIndex) continue;
      position_[op] = static_cast<uint32_t>(order_.size());
      order_.push_back(op);
      const auto& regions = module.ops[op].regions;
      for (auto region = regions.rbegin(); region != regions.rend(); ++region) enter(region->graph);
    }
  }
}

void OperatorGraph::classifyValues(const Module& module) {
  producer_.resize(module.values.size());
  known_.assign(module.values.size(), KnownFrom::Run);
  for (const ValueId value : module.values.ids()) {
    const Value& source = module.values[value];
    const bool isResult = source.kind == Value::Kind::Result;
    if (isResult && (!module.ops.contains(source.producer) || !isLive(source.producer))) continue;
    if (isResult) producer_[value] = source.producer;
    if (ir::isConstant(module, source)) known_[value] = KnownFrom::Model;
  }
  for (const OpId op : order_) {
    const KnownFrom from = resultsKnownFrom(module, module.ops[op], known_);
    for (const ValueId output : outputs(op))
      if (known_.contains(output)) known_[output] = std::max(known_[output], from);
  }
}

bool OperatorGraph::isKnownBeforeRun(OpId op) const {
  return std::ranges::all_of(outputs(op), [&](ValueId output) { return output == kNone || isKnownBeforeRun(output); });
}

void OperatorGraph::collectUses(const Module& module) {
  std::vector<std::pair<ValueId, Use>> uses;
  uses.reserve(inputs_.itemCount());
  for (const OpId op : module.ops.ids()) {
    if (module.ops[op].state != OpState::Live) continue;
    const auto operands = inputs(op);
    for (uint32_t operand = 0; operand < operands.size(); ++operand)
      if (module.values.contains(operands[operand])) uses.emplace_back(operands[operand], Use{op, operand});
  }
  uses_ = CompressedRows<ValueId, Use>(module.values.size(), uses);

  graphOutput_.assign(module.values.size(), false);
  std::vector<std::pair<ValueId, OpId>> returned;
  for (const Graph& graph : module.graphs) {
    for (const ValueId output : graph.outputs) {
      if (!module.values.contains(output)) continue;
      graphOutput_[output] = true;
      if (module.ops.contains(graph.parent)) returned.emplace_back(output, graph.parent);
    }
  }
  sortUnique(returned);
  returnedBy_ = CompressedRows<ValueId, OpId>(module.values.size(), returned);
}

OpId OperatorGraph::ancestorIn(GraphId graph, OpId op) const {
  // A chain longer than the number of graphs is a cycle, which the verifier reports.
  for (size_t level = 0; level <= parent_.size() && graph_.contains(op); ++level) {
    if (graph_[op] == graph) return op;
    op = parent_[graph_[op]];
  }
  return kNone;
}

void OperatorGraph::connect(const Module& module) {
  Edges edges;
  edges.reserve(inputs_.itemCount());
  const auto add = [&](OpId from, OpId user) {
    user = ancestorIn(graph_[from], user);
    if (user != kNone && user != from && isLive(user)) edges.emplace_back(from, user);
  };
  for (const OpId op : order_) {
    for (const ValueId value : outputs(op)) {
      if (producer(value) != op) continue;
      for (const Use& use : uses(value)) add(op, use.op);
      for (const OpId owner : returnedBy(value)) add(op, owner);
    }
  }
  for (const OpId op : order_)
    for (const OpId before : module.ops[op].controlPredecessors)
      if (isLive(before)) edges.emplace_back(before, op);
  setEdges(position_.size(), std::move(edges));
}

}  // namespace amdahlc::ir
