#include "ir/kernel_graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace amdahlc::ir {

namespace {

using Edge = std::pair<uint32_t, uint32_t>;

/// Several lists in one array: `of(i)` is items[first[i]] .. items[first[i + 1]].
struct Lists {
  std::vector<uint32_t> first;
  std::vector<uint32_t> items;
  std::span<const uint32_t> of(size_t list) const {
    return {items.data() + first[list], items.data() + first[list + 1]};
  }
};

/// Lists of `edge.second` by `edge.first`, in the order of `edges`.
Lists listsByFirst(const std::vector<Edge>& edges, size_t count) {
  Lists lists{std::vector<uint32_t>(count + 1, 0), std::vector<uint32_t>(edges.size())};
  for (const Edge& edge : edges) ++lists.first[edge.first + 1];
  for (size_t i = 1; i <= count; ++i) lists.first[i] += lists.first[i - 1];
  std::vector<uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  for (const Edge& edge : edges) lists.items[next[edge.first]++] = edge.second;
  return lists;
}

void sortUnique(std::vector<Edge>& edges) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
}

/// One vertex of the quotient.
struct Group {
  const std::vector<OpId>* ops;
  std::optional<CandidateId> candidate;
};

OpId lowestOp(const std::vector<OpId>& ops) { return ops.size() > 1 ? std::min(ops[0], ops[1]) : ops[0]; }

/// Order of vertices by lowest operator, then by the operators themselves: independent of how the caller numbered them.
bool precedes(const std::vector<OpId>& a, const std::vector<OpId>& b) {
  if (lowestOp(a) != lowestOp(b)) return lowestOp(a) < lowestOp(b);
  return a < b;
}

/// The operator graph seen through groups.
class Quotient {
 public:
  Quotient(const Module& module, const UseIndex& uses, std::vector<Group> groups)
      : module_(module), uses_(uses), groups_(std::move(groups)) {
    std::vector<Edge> held;
    for (uint32_t group = 0; group < groups_.size(); ++group) {
      for (const OpId op : *groups_[group].ops) held.emplace_back(op, group);
    }
    holders_ = listsByFirst(held, module.ops.size());
    stamp_.assign(module.values.size(), kNone);
    collectBodyOutputs();
    for (ValueId value = 0; value < module.values.size(); ++value) follow(value);
    sortUnique(edges);
    sortUnique(inputUses);
  }

  std::span<const uint32_t> holders(OpId op) const { return holders_.of(op); }

  std::vector<Edge> edges;      ///< (producer, consumer), ascending
  std::vector<Edge> inputUses;  ///< (group, graph input value), ascending

 private:
  /// A value of an enclosing graph that a body hands on is used by the body's operator.
  void collectBodyOutputs() {
    std::vector<Edge> handed;
    for (const Graph& graph : module_.graphs) {
      if (graph.parent >= module_.ops.size()) continue;
      for (const ValueId output : graph.outputs) {
        if (output < module_.values.size() && &module_.graphs[module_.values[output].graph] != &graph)
          handed.emplace_back(output, graph.parent);
      }
    }
    sortUnique(handed);
    liveOut_ = listsByFirst(handed, module_.values.size());
  }

  /// The operator of `graph` that is `op` or whose regions hold it; kNone where `op` lies outside.
  OpId ancestorIn(GraphId graph, OpId op) const {
    for (size_t level = 0; level <= module_.graphs.size() && op < module_.ops.size(); ++level) {
      if (module_.ops[op].graph == graph) return op;
      op = module_.graphs[module_.ops[op].graph].parent;
    }
    return kNone;
  }

  /// Which group hands `value` of `producer` on, where several hold it.
  uint32_t supplier(ValueId value, OpId producer) const {
    const auto holders = holders_.of(producer);
    uint32_t best = kNone;
    bool bestIsLiveOut = false;
    for (const uint32_t group : holders) {
      const auto& candidate = groups_[group].candidate;
      bool isLiveOut = true;
      if (candidate && *candidate < module_.candidates.size()) {
        const auto& results = module_.candidates[*candidate].results;
        isLiveOut = std::find(results.begin(), results.end(), value) != results.end();
      }
      const bool better = best == kNone || (isLiveOut && !bestIsLiveOut) ||
                          (isLiveOut == bestIsLiveOut && precedes(*groups_[group].ops, *groups_[best].ops));
      if (better) {
        best = group;
        bestIsLiveOut = isLiveOut;
      }
    }
    return best;
  }

  /// Adds the edges from where `source` is made to everything that uses it, also through operators that no group holds.
  void follow(ValueId source) {
    const Value& value = module_.values[source];
    uint32_t from = kNone;
    if (value.kind == Value::Kind::Result && value.producer < module_.ops.size()) {
      const auto holders = holders_.of(value.producer);
      if (holders.empty()) return;
      from = holders.size() == 1 ? holders[0] : supplier(source, value.producer);
    } else if (value.kind != Value::Kind::Input) {
      return;
    }
    pending_.assign(1, source);
    stamp_[source] = source;
    while (!pending_.empty()) {
      const ValueId current = pending_.back();
      pending_.pop_back();
      const GraphId graph = module_.values[current].graph;
      const auto [begin, end] = uses_.uses(current);
      for (const auto* use = begin; use != end; ++use) visitUse(source, from, ancestorIn(graph, use->op));
      for (const OpId parent : liveOut_.of(current)) visitUse(source, from, ancestorIn(graph, parent));
    }
  }

  void visitUse(ValueId source, uint32_t from, OpId user) {
    if (user >= module_.ops.size()) return;
    const auto holders = holders_.of(user);
    for (const uint32_t to : holders) {
      if (from == kNone) {
        inputUses.emplace_back(to, source);
      } else if (from != to && !holds(to, module_.values[source].producer)) {
        edges.emplace_back(from, to);
      }
    }
    if (!holders.empty()) return;
    for (const ValueId output : module_.ops[user].outputs) {
      if (output >= module_.values.size() || stamp_[output] == source) continue;
      stamp_[output] = source;
      pending_.push_back(output);
    }
  }

  /// A group that computes the producer again needs no other to hand its value on.
  bool holds(uint32_t group, OpId op) const {
    const auto holders = holders_.of(op);
    return holders.size() > 1 && std::find(holders.begin(), holders.end(), group) != holders.end();
  }

  const Module& module_;
  const UseIndex& uses_;
  std::vector<Group> groups_;
  Lists holders_;                ///< groups by op, ascending
  Lists liveOut_;                ///< ops by value: the owners of bodies that return the value from outside
  std::vector<uint32_t> stamp_;  ///< by value: the source that reached it last
  std::vector<ValueId> pending_;
};

}  // namespace

std::optional<std::vector<Kernel>> numberKernels(const Module& module, const UseIndex& uses, const Grouping& grouping) {
  const auto count = static_cast<uint32_t>(grouping.groups.size());
  std::vector<Group> groups;
  groups.reserve(count);
  for (uint32_t group = 0; group < count; ++group)
    groups.push_back({&grouping.groups[group], grouping.candidate[group]});
  Quotient quotient(module, uses, std::move(groups));

  auto edges = std::move(quotient.edges);
  for (uint32_t group = 0; group < count; ++group) {
    const OpId parent = module.graphs[module.ops[grouping.groups[group].front()].graph].parent;
    if (parent >= module.ops.size()) continue;
    for (const uint32_t owner : quotient.holders(parent)) edges.emplace_back(owner, group);
  }
  sortUnique(edges);
  const Lists successors = listsByFirst(edges, count);
  std::vector<uint32_t> missing(count, 0);
  for (const Edge& edge : edges) ++missing[edge.second];

  std::vector<uint32_t> byLowestOp(count);
  for (uint32_t group = 0; group < count; ++group) byLowestOp[group] = group;
  std::sort(byLowestOp.begin(), byLowestOp.end(),
            [&](uint32_t a, uint32_t b) { return precedes(grouping.groups[a], grouping.groups[b]); });
  std::vector<uint32_t> rank(count);
  for (uint32_t i = 0; i < count; ++i) rank[byLowestOp[i]] = i;

  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (uint32_t group = 0; group < count; ++group) {
    if (missing[group] == 0) ready.push(rank[group]);
  }
  std::vector<Kernel> kernels;
  kernels.reserve(count);
  while (!ready.empty()) {
    const uint32_t group = byLowestOp[ready.top()];
    ready.pop();
    Kernel& kernel = kernels.emplace_back();
    kernel.id = static_cast<KernelId>(kernels.size() - 1);
    kernel.candidate = grouping.candidate[group];
    kernel.ops = grouping.groups[group];
    if (kernel.candidate && module.rules.rules[module.candidates[*kernel.candidate].rule].noDeviceWork)
      kernel.state = KernelState::NoDeviceWork;
    for (const uint32_t next : successors.of(group)) {
      if (--missing[next] == 0) ready.push(rank[next]);
    }
  }
  if (kernels.size() != count) return std::nullopt;
  return kernels;
}

KernelGraph::KernelGraph(const Module& module, const Cover& cover)
    : inputs_(cover.kernels.size()), bodies_(cover.kernels.size()), kernelOf_(module.ops.size(), kNone) {
  const UseIndex uses(module);
  std::vector<Group> groups;
  groups.reserve(cover.kernels.size());
  for (const Kernel& kernel : cover.kernels) {
    groups.push_back({&kernel.ops, kernel.candidate});
    graph_.push_back(module.ops[kernel.anchor()].graph);
    for (const OpId op : kernel.ops) kernelOf_[op] = std::min(kernelOf_[op], kernel.id);
  }
  const Quotient quotient(module, uses, std::move(groups));

  Lists successors = listsByFirst(quotient.edges, size());
  std::vector<Edge> reversed;
  reversed.reserve(quotient.edges.size());
  for (const auto& [from, to] : quotient.edges) reversed.emplace_back(to, from);
  // Stable by producer already, so each list of predecessors comes out ascending.
  Lists predecessors = listsByFirst(reversed, size());
  succFirst_ = std::move(successors.first);
  succs_ = std::move(successors.items);
  predFirst_ = std::move(predecessors.first);
  preds_ = std::move(predecessors.items);

  for (const auto& [kernel, value] : quotient.inputUses) inputs_[kernel].push_back(value);
  for (KernelId kernel = 0; kernel < size(); ++kernel) {
    GraphId graph = graph_[kernel];
    for (size_t level = 0; level < module.graphs.size() && module.graphs[graph].parent < module.ops.size(); ++level) {
      const OpId parent = module.graphs[graph].parent;
      if (kernelOf_[parent] != kNone) bodies_[kernelOf_[parent]].push_back(kernel);
      graph = module.ops[parent].graph;
    }
  }
}

std::string_view name(NodeState state) {
  switch (state) {
    case NodeState::Bound:
      return "bound";
    case NodeState::Absorbed:
      return "absorbed";
    case NodeState::NoDeviceWork:
      return "no-device-work";
    case NodeState::Folded:
      return "folded";
    case NodeState::NotExecuted:
      return "not-executed";
    case NodeState::Missed:
      return "missed";
  }
  return {};
}

std::vector<NodeReport> nodeReports(const Module& module, const Cover& cover) {
  const auto fromKernel = [](KernelState state) {
    switch (state) {
      case KernelState::Bound:
        return NodeState::Bound;
      case KernelState::NoDeviceWork:
        return NodeState::NoDeviceWork;
      case KernelState::NotExecuted:
        return NodeState::NotExecuted;
      case KernelState::Unbound:
        break;
    }
    return NodeState::Missed;
  };
  std::vector<NodeReport> reports(module.ops.size());
  for (const Kernel& kernel : cover.kernels) {
    for (const OpId op : kernel.ops) {
      NodeReport& report = reports[op];
      // A recomputed operator ran where any of its kernels did: the enumerators are in that order.
      const NodeState state = fromKernel(kernel.state);
      report.state = report.kernels.empty() ? state : std::min(report.state, state);
      report.kernels.push_back(kernel.id);
    }
  }
  for (OpId op = 0; op < module.ops.size(); ++op) {
    if (module.ops[op].state == OpState::Folded) reports[op].state = NodeState::Folded;
    if (module.ops[op].state != OpState::Absorbed) continue;
    reports[op].state = NodeState::Absorbed;
    if (module.ops[op].absorbedInto < module.ops.size())
      reports[op].kernels = reports[module.ops[op].absorbedInto].kernels;
  }
  return reports;
}

namespace {

const Rule* ruleOf(const Module& module, const Kernel& kernel) {
  return kernel.candidate ? &module.rules.rules[module.candidates[*kernel.candidate].rule] : nullptr;
}

}  // namespace

std::string kernelLabel(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule ? rule->label : std::string(module.text(module.ops[kernel.anchor()].type));
}

std::string kernelCategory(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule ? rule->category : "other";
}

std::string kernelScope(const Module& module, const Kernel& kernel) {
  return std::string(module.text(module.ops[kernel.anchor()].scope));
}

}  // namespace amdahlc::ir
