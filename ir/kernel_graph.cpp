#include "ir/kernel_graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace amdahlc::ir {

namespace {

using GroupId = Id<struct GroupTag>;

template <typename From, typename To>
using Edges = std::vector<std::pair<From, To>>;

/// Several lists in one array: `of(i)` is items[first[i]] .. items[first[i + 1]].
template <typename Key, typename Item>
struct Lists {
  std::vector<uint32_t> first;
  std::vector<Item> items;
  std::span<const Item> of(Key list) const {
    return {items.data() + first[list.index()], items.data() + first[list.index() + 1]};
  }
};

/// Lists of `edge.second` by `edge.first`, in the order of `edges`.
template <typename Key, typename Item>
Lists<Key, Item> listsByFirst(const Edges<Key, Item>& edges, size_t count) {
  Lists<Key, Item> lists{std::vector<uint32_t>(count + 1, 0), std::vector<Item>(edges.size())};
  for (const auto& edge : edges) ++lists.first[edge.first.index() + 1];
  for (size_t i = 1; i <= count; ++i) lists.first[i] += lists.first[i - 1];
  std::vector<uint32_t> next(lists.first.begin(), lists.first.end() - 1);
  for (const auto& edge : edges) lists.items[next[edge.first.index()]++] = edge.second;
  return lists;
}

template <typename From, typename To>
void sortUnique(Edges<From, To>& edges) {
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
  Quotient(const Module& module, const UseIndex& uses, IdVector<GroupId, Group> groups)
      : module_(module), uses_(uses), groups_(std::move(groups)) {
    Edges<OpId, GroupId> held;
    for (const GroupId group : groups_.ids()) {
      for (const OpId op : *groups_[group].ops) held.emplace_back(op, group);
    }
    holders_ = listsByFirst(held, module.ops.size());
    stamp_.resize(module.values.size());
    collectBodyOutputs();
    for (const ValueId value : module.values.ids()) follow(value);
    sortUnique(edges);
    sortUnique(inputUses);
  }

  std::span<const GroupId> holders(OpId op) const { return holders_.of(op); }

  Edges<GroupId, GroupId> edges;      ///< (producer, consumer), ascending
  Edges<GroupId, ValueId> inputUses;  ///< (group, graph input value), ascending

 private:
  /// A value of an enclosing graph that is live-out of a body is used by the body's operator.
  void collectBodyOutputs() {
    Edges<ValueId, OpId> handed;
    for (const Graph& graph : module_.graphs) {
      if (!module_.ops.contains(graph.parent)) continue;
      for (const ValueId output : graph.outputs) {
        if (module_.values.contains(output) && &module_.graphs[module_.values[output].graph] != &graph)
          handed.emplace_back(output, graph.parent);
      }
    }
    sortUnique(handed);
    liveOut_ = listsByFirst(handed, module_.values.size());
  }

  /// The operator of `graph` that is `op` or whose regions hold it; kNone where `op` lies outside.
  OpId ancestorIn(GraphId graph, OpId op) const {
    for (size_t level = 0; level <= module_.graphs.size() && module_.ops.contains(op); ++level) {
      if (module_.ops[op].graph == graph) return op;
      op = module_.graphs[module_.ops[op].graph].parent;
    }
    return kNone;
  }

  /// The group that supplies `value` of `producer`, where several hold it.
  GroupId supplier(ValueId value, OpId producer) const {
    const auto holders = holders_.of(producer);
    GroupId best;
    bool bestIsLiveOut = false;
    for (const GroupId group : holders) {
      const auto& candidate = groups_[group].candidate;
      bool isLiveOut = true;
      if (candidate && module_.candidates.contains(*candidate)) {
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
    GroupId from;
    if (value.kind == Value::Kind::Result && module_.ops.contains(value.producer)) {
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

  void visitUse(ValueId source, GroupId from, OpId user) {
    if (!module_.ops.contains(user)) return;
    const auto holders = holders_.of(user);
    for (const GroupId to : holders) {
      if (from == kNone) {
        inputUses.emplace_back(to, source);
      } else if (from != to && !holds(to, module_.values[source].producer)) {
        edges.emplace_back(from, to);
      }
    }
    if (!holders.empty()) return;
    for (const ValueId output : module_.ops[user].outputs) {
      if (!module_.values.contains(output) || stamp_[output] == source) continue;
      stamp_[output] = source;
      pending_.push_back(output);
    }
  }

  /// A group that computes the producer again needs no other to supply its value.
  bool holds(GroupId group, OpId op) const {
    const auto holders = holders_.of(op);
    return holders.size() > 1 && std::find(holders.begin(), holders.end(), group) != holders.end();
  }

  const Module& module_;
  const UseIndex& uses_;
  IdVector<GroupId, Group> groups_;
  Lists<OpId, GroupId> holders_;      ///< ascending
  Lists<ValueId, OpId> liveOut_;      ///< the owners of bodies that return the value from outside
  IdVector<ValueId, ValueId> stamp_;  ///< the source that reached it last
  std::vector<ValueId> pending_;
};

}  // namespace

std::optional<IdVector<KernelId, Kernel>> numberKernels(const Module& module, const UseIndex& uses,
                                                        const Grouping& grouping) {
  const size_t count = grouping.groups.size();
  const IdRange<GroupId> ids(0, count);
  const auto opsOf = [&](GroupId group) -> const std::vector<OpId>& { return grouping.groups[group.index()]; };
  IdVector<GroupId, Group> groups;
  groups.reserve(count);
  for (const GroupId group : ids) groups.push_back({&opsOf(group), grouping.candidate[group.index()]});
  Quotient quotient(module, uses, std::move(groups));

  auto edges = std::move(quotient.edges);
  for (const GroupId group : ids) {
    const OpId parent = module.graphs[module.ops[opsOf(group).front()].graph].parent;
    if (!module.ops.contains(parent)) continue;
    for (const GroupId owner : quotient.holders(parent)) edges.emplace_back(owner, group);
  }
  sortUnique(edges);
  const auto successors = listsByFirst(edges, count);
  IdVector<GroupId, uint32_t> missing(count, 0);
  for (const auto& edge : edges) ++missing[edge.second];

  std::vector<GroupId> byLowestOp(ids.begin(), ids.end());
  std::sort(byLowestOp.begin(), byLowestOp.end(), [&](GroupId a, GroupId b) { return precedes(opsOf(a), opsOf(b)); });
  IdVector<GroupId, uint32_t> rank(count);
  for (uint32_t i = 0; i < count; ++i) rank[byLowestOp[i]] = i;

  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
  for (const GroupId group : ids) {
    if (missing[group] == 0) ready.push(rank[group]);
  }
  IdVector<KernelId, Kernel> kernels;
  kernels.reserve(count);
  while (!ready.empty()) {
    const GroupId group = byLowestOp[ready.top()];
    ready.pop();
    const KernelId id = kernels.nextId();
    Kernel& kernel = kernels.emplace_back();
    kernel.id = id;
    kernel.candidate = grouping.candidate[group.index()];
    kernel.ops = opsOf(group);
    for (const GroupId next : successors.of(group)) {
      if (--missing[next] == 0) ready.push(rank[next]);
    }
  }
  if (kernels.size() != count) return std::nullopt;
  return kernels;
}

KernelGraph::KernelGraph(const Module& module, const Cover& cover)
    : inputs_(cover.kernels.size()), bodies_(cover.kernels.size()), kernelOf_(module.ops.size()) {
  const UseIndex uses(module);
  IdVector<GroupId, Group> groups;
  groups.reserve(cover.kernels.size());
  for (const Kernel& kernel : cover.kernels) {
    groups.push_back({&kernel.ops, kernel.candidate});
    graph_.push_back(module.ops[kernel.anchor()].graph);
    for (const OpId op : kernel.ops) kernelOf_[op] = std::min(kernelOf_[op], kernel.id);
  }
  const Quotient quotient(module, uses, std::move(groups));

  // One group a kernel, in the order of the kernels.
  const auto kernelOfGroup = [](GroupId group) { return KernelId(group.index()); };
  Edges<KernelId, KernelId> forward, reversed;
  forward.reserve(quotient.edges.size());
  reversed.reserve(quotient.edges.size());
  for (const auto& [from, to] : quotient.edges) {
    forward.emplace_back(kernelOfGroup(from), kernelOfGroup(to));
    reversed.emplace_back(kernelOfGroup(to), kernelOfGroup(from));
  }
  auto successors = listsByFirst(forward, size());
  // Stable by producer already, so each list of predecessors comes out ascending.
  auto predecessors = listsByFirst(reversed, size());
  succFirst_ = std::move(successors.first);
  succs_ = std::move(successors.items);
  predFirst_ = std::move(predecessors.first);
  preds_ = std::move(predecessors.items);

  for (const auto& [group, value] : quotient.inputUses) inputs_[kernelOfGroup(group)].push_back(value);
  for (const KernelId kernel : graph_.ids()) {
    GraphId graph = graph_[kernel];
    for (size_t level = 0; level < module.graphs.size() && module.ops.contains(module.graphs[graph].parent); ++level) {
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

IdVector<OpId, NodeReport> nodeReports(const Module& module, const Cover& cover) {
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
  IdVector<OpId, NodeReport> reports(module.ops.size());
  for (const Kernel& kernel : cover.kernels) {
    for (const OpId op : kernel.ops) {
      NodeReport& report = reports[op];
      // A recomputed operator ran where any of its kernels did: the enumerators are in that order.
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

namespace {

const Rule* ruleOf(const Module& module, const Kernel& kernel) {
  return kernel.candidate ? &module.rules.rules[module.candidates[*kernel.candidate].rule] : nullptr;
}

}  // namespace

bool hasNoDeviceWork(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule != nullptr && rule->noDeviceWork;
}

KernelState kernelState(const Module& module, const Cover& cover, KernelId kernel) {
  if (const auto* bound = cover.facets.get<BoundFacet>()) return bound->kernels[kernel].state;
  return hasNoDeviceWork(module, cover.kernels[kernel]) ? KernelState::NoDeviceWork : KernelState::Unbound;
}

std::string kernelLabel(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule ? rule->label : std::string(module.text(module.ops[kernel.anchor()].type));
}

std::string kernelCategory(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule ? rule->category : "other";
}

ScopeId kernelScope(const Module& module, const Kernel& kernel) { return module.ops[kernel.anchor()].scope; }

}  // namespace amdahlc::ir
