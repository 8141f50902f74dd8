#include "passes/fuse/operator_graph.h"

#include <algorithm>
#include <utility>

namespace amdahlc {

using ir::kNone;
using ir::OpId;
using ir::ValueId;

OperatorGraph::OperatorGraph(const ir::Module& module, const ir::UseIndex& uses) {
  const size_t opCount = module.ops.size();
  graph_.resize(opCount);
  inputFirst_.reserve(opCount + 1);
  outputFirst_.reserve(opCount + 1);
  for (const OpId op : module.ops.ids()) {
    const ir::Op& source = module.ops[op];
    graph_[op] = source.graph;
    inputFirst_.push_back(static_cast<uint32_t>(inputs_.size()));
    outputFirst_.push_back(static_cast<uint32_t>(outputs_.size()));
    inputs_.insert(inputs_.end(), source.inputs.begin(), source.inputs.end());
    outputs_.insert(outputs_.end(), source.outputs.begin(), source.outputs.end());
  }
  inputFirst_.push_back(static_cast<uint32_t>(inputs_.size()));
  outputFirst_.push_back(static_cast<uint32_t>(outputs_.size()));
  for (const ir::Graph& graph : module.graphs) parentOf_.push_back(graph.parent);

  orderOperators(module);

  producer_.resize(module.values.size());
  constant_.assign(module.values.size(), false);
  const Symbol constantType = module.strings.find("Constant");
  const Symbol onnxDomain = module.strings.find("ai.onnx");
  for (const ValueId value : module.values.ids()) {
    const ir::Value& source = module.values[value];
    if (source.kind == ir::Value::Kind::Constant) constant_[value] = true;
    if (source.kind != ir::Value::Kind::Result || !module.ops.contains(source.producer) || !isLive(source.producer))
      continue;
    producer_[value] = source.producer;
    const ir::Op& op = module.ops[source.producer];
    constant_[value] =
        op.type == constantType && !constantType.empty() && (op.domain.empty() || op.domain == onnxDomain);
  }
  connect(module, uses);
}

void OperatorGraph::orderOperators(const ir::Module& module) {
  position_.assign(module.ops.size(), ir::kNoIndex);
  order_.reserve(module.ops.size());
  IdVector<ir::GraphId, bool> entered(module.graphs.size(), false);
  std::vector<std::pair<ir::GraphId, size_t>> pending;  // graph, next index in its order
  const auto enter = [&](ir::GraphId graph) {
    if (!module.graphs.contains(graph) || entered[graph]) return;
    entered[graph] = true;
    pending.emplace_back(graph, 0);
  };
  // Graph 0 reaches every region of a live operator; the loop is for regions whose operator is gone.
  for (const ir::GraphId start : module.graphs.ids()) {
    enter(start);
    while (!pending.empty()) {
      auto& [graph, next] = pending.back();
      const auto& order = module.graphs[graph].order;
      if (next == order.size()) {
        pending.pop_back();
        continue;
      }
      const OpId op = order[next++];
      if (module.ops[op].state != ir::OpState::Live || position_[op] != ir::kNoIndex) continue;
      position_[op] = static_cast<uint32_t>(order_.size());
      order_.push_back(op);
      const auto& regions = module.ops[op].regions;
      for (auto region = regions.rbegin(); region != regions.rend(); ++region) enter(region->graph);
    }
  }
}

OpId OperatorGraph::ancestorIn(ir::GraphId graph, OpId op) const {
  for (size_t level = 0; level <= parentOf_.size() && op != kNone; ++level) {
    if (graph_[op] == graph) return op;
    op = parentOf_[graph_[op]];
  }
  return kNone;
}

void OperatorGraph::connect(const ir::Module& module, const ir::UseIndex& uses) {
  // Values of an enclosing graph that a region returns: used by the region's operator.
  std::vector<std::pair<ValueId, OpId>> liveOut;
  for (const ir::GraphId graph : module.graphs.ids()) {
    if (parentOf_[graph] == kNone) continue;
    for (const ValueId value : module.graphs[graph].outputs) {
      if (producer(value) != kNone && graph_[producer(value)] != graph) liveOut.emplace_back(value, parentOf_[graph]);
    }
  }
  std::sort(liveOut.begin(), liveOut.end());

  const auto forEachEdge = [&](const auto& visit) {
    for (const OpId op : order_) {
      for (const ValueId value : outputs(op)) {
        if (producer(value) != op) continue;
        const auto [begin, end] = uses.uses(value);
        for (const auto* use = begin; use != end; ++use) {
          const OpId user = graph_[use->op] == graph_[op] ? use->op : ancestorIn(graph_[op], use->op);
          if (user != kNone && user != op && isLive(user)) visit(op, user);
        }
        for (auto it = std::lower_bound(liveOut.begin(), liveOut.end(), std::pair{value, OpId{0}});
             it != liveOut.end() && it->first == value; ++it) {
          const OpId user = ancestorIn(graph_[op], it->second);
          if (user != kNone && user != op && isLive(user)) visit(op, user);
        }
      }
    }
  };
  successorFirst_.assign(size() + 1, 0);
  predecessorFirst_.assign(size() + 1, 0);
  forEachEdge([&](OpId from, OpId to) {
    ++successorFirst_[from.index() + 1];
    ++predecessorFirst_[to.index() + 1];
  });
  for (size_t i = 1; i <= size(); ++i) {
    successorFirst_[i] += successorFirst_[i - 1];
    predecessorFirst_[i] += predecessorFirst_[i - 1];
  }
  successors_.resize(successorFirst_.back());
  predecessors_.resize(predecessorFirst_.back());
  std::vector<uint32_t> nextSuccessor(successorFirst_.begin(), successorFirst_.end() - 1);
  std::vector<uint32_t> nextPredecessor(predecessorFirst_.begin(), predecessorFirst_.end() - 1);
  forEachEdge([&](OpId from, OpId to) {
    successors_[nextSuccessor[from.index()]++] = to;
    predecessors_[nextPredecessor[to.index()]++] = from;
  });
}

}  // namespace amdahlc
