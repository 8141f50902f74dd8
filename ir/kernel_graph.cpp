#include "ir/kernel_graph.h"

#include <algorithm>
#include <boost/graph/strong_components.hpp>
#include <utility>

#include "support/boost_graph.h"
#include "support/sort_unique.h"

namespace amdahlc::ir {

namespace {

using GroupId = Id<struct GroupTag>;

/// One vertex of the quotient.
struct Group {
  const std::vector<OpId>* ops;
  std::optional<CandidateId> candidate;
};

OpId lowestOp(const std::vector<OpId>& ops) { return ops.size() > 1 ? std::min(ops[0], ops[1]) : ops[0]; }

/// Order of vertices by lowest operator, then by all operators, so that it is independent of the caller's numbers.
bool precedes(const std::vector<OpId>& a, const std::vector<OpId>& b) {
  if (lowestOp(a) != lowestOp(b)) return lowestOp(a) < lowestOp(b);
  return a < b;
}

/// The quotient of the operator graph by groups.
class Quotient {
 public:
  Quotient(const Module& module, const OperatorGraph& graph, IdVector<GroupId, Group> groups)
      : module_(module), graph_(graph), groups_(std::move(groups)) {
    std::vector<std::pair<OpId, GroupId>> held;
    for (const GroupId group : groups_.ids())
      for (const OpId op : *groups_[group].ops) held.emplace_back(op, group);
    holders_ = CompressedRows<OpId, GroupId>(module.ops.size(), held);
    stamp_.resize(module.values.size());
    for (const ValueId value : module.values.ids()) follow(value);
    sortUnique(edges);
    sortUnique(inputUses);
  }

  std::span<const GroupId> holders(OpId op) const { return holders_[op]; }

  /// (producer, consumer), ascending.
  DirectedGraph<GroupId>::Edges edges;
  /// (group, graph input value), ascending.
  std::vector<std::pair<GroupId, ValueId>> inputUses;

 private:
  /// The group that supplies `value` of `producer`, if several contain it.
  GroupId supplier(ValueId value, OpId producer) const {
    const auto holders = holders_[producer];
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

  /// Adds the edges from the producer of `source` to all its users, also through operators that are in no group.
  void follow(ValueId source) {
    const Value& value = module_.values[source];
    GroupId from;
    if (value.kind == Value::Kind::Result && module_.ops.contains(value.producer)) {
      const auto holders = holders_[value.producer];
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
      for (const OperatorGraph::Use& use : graph_.uses(current))
        visitUse(source, from, graph_.ancestorIn(graph, use.op));
      for (const OpId owner : graph_.returnedBy(current)) visitUse(source, from, graph_.ancestorIn(graph, owner));
    }
  }

  void visitUse(ValueId source, GroupId from, OpId user) {
    if (!module_.ops.contains(user)) return;
    const auto holders = holders_[user];
    for (const GroupId to : holders)
      if (from == kNone)
        inputUses.emplace_back(to, source);
      else if (from != to && !holds(to, module_.values[source].producer))
        edges.emplace_back(from, to);
    if (!holders.empty()) return;
    for (const ValueId output : module_.ops[user].outputs) {
      if (!module_.values.contains(output) || stamp_[output] == source) continue;
      stamp_[output] = source;
      pending_.push_back(output);
    }
  }

  /// A group that recomputes the producer does not need the value from another group.
  bool holds(GroupId group, OpId op) const {
    const auto holders = holders_[op];
    return holders.size() > 1 && std::find(holders.begin(), holders.end(), group) != holders.end();
  }

  const Module& module_;
  const OperatorGraph& graph_;
  IdVector<GroupId, Group> groups_;
  /// Ascending.
  CompressedRows<OpId, GroupId> holders_;
  /// By operator: the last source that reached it.
  IdVector<ValueId, ValueId> stamp_;
  std::vector<ValueId> pending_;
};

/// What each group needs: the quotient, and for a group in a region also the groups of the region's operator.
DirectedGraph<GroupId> needsOf(const Module& module, const OperatorGraph& graph, const Grouping& grouping) {
  const auto& lists = grouping.groups;
  IdVector<GroupId, Group> groups;
  groups.reserve(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) groups.push_back({&lists[i], grouping.candidate[i]});
  Quotient quotient(module, graph, std::move(groups));
  auto edges = std::move(quotient.edges);
  for (const GroupId group : IdRange<GroupId>(0, lists.size())) {
    const OpId parent = module.graphs[module.ops[lists[group.index()].front()].graph].parent;
    if (!module.ops.contains(parent)) continue;
    for (const GroupId owner : quotient.holders(parent)) edges.emplace_back(owner, group);
  }
  sortUnique(edges);
  return {lists.size(), std::move(edges)};
}

}  // namespace

std::optional<IdVector<KernelId, Kernel>> numberKernels(const Module& module, const OperatorGraph& graph,
                                                        const Grouping& grouping) {
  const size_t count = grouping.groups.size();
  const auto opsOf = [&](GroupId group) -> const std::vector<OpId>& { return grouping.groups[group.index()]; };
  const IdRange<GroupId> ids(0, count);
  std::vector<GroupId> byLowestOp(ids.begin(), ids.end());
  std::sort(byLowestOp.begin(), byLowestOp.end(), [&](GroupId a, GroupId b) { return precedes(opsOf(a), opsOf(b)); });
  IdVector<GroupId, uint32_t> rank(count);
  for (uint32_t i = 0; i < count; ++i) rank[byLowestOp[i]] = i;

  IdVector<KernelId, Kernel> kernels;
  kernels.reserve(count);
  for (const GroupId group : lowestFirstOrder(needsOf(module, graph, grouping), rank)) {
    const KernelId id = kernels.nextId();
    kernels.push_back({id, grouping.candidate[group.index()], opsOf(group)});
  }
  if (kernels.size() != count) return std::nullopt;
  return kernels;
}

std::vector<size_t> cycleOf(const Module& module, const OperatorGraph& graph, const Grouping& grouping) {
  const DirectedGraph<GroupId> needs = needsOf(module, graph, grouping);
  IdVector<GroupId, size_t> component(needs.size());
  const size_t components = boost::strong_components(
      needs, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, needs)));
  std::vector<std::vector<size_t>> members(components);
  for (const GroupId group : component.ids()) members[component[group]].push_back(group.index());
  std::erase_if(members, [](const auto& groups) { return groups.size() < 2; });
  return members.empty() ? std::vector<size_t>() : *std::min_element(members.begin(), members.end());
}

KernelGraph::KernelGraph(const Module& module, const OperatorGraph& operators, const Cover& cover)
    : bodies_(cover.kernels.size()), kernelOf_(module.ops.size()) {
  IdVector<GroupId, Group> groups;
  groups.reserve(cover.kernels.size());
  for (const Kernel& kernel : cover.kernels) {
    groups.push_back({&kernel.ops, kernel.candidate});
    graph_.push_back(module.ops[kernel.anchor()].graph);
    for (const OpId op : kernel.ops) kernelOf_[op] = std::min(kernelOf_[op], kernel.id);
  }
  const Quotient quotient(module, operators, std::move(groups));

  // One group per kernel, in the order of kernels.
  const auto kernelOfGroup = [](GroupId group) { return KernelId(group.index()); };
  Edges edges;
  edges.reserve(quotient.edges.size());
  // In order of producers, so each list of predecessors comes out ascending.
  for (const auto& [from, to] : quotient.edges) edges.emplace_back(kernelOfGroup(from), kernelOfGroup(to));
  setEdges(graph_.size(), std::move(edges));
  std::vector<std::pair<KernelId, ValueId>> inputs;
  for (const auto& [group, value] : quotient.inputUses) inputs.emplace_back(kernelOfGroup(group), value);
  inputs_ = CompressedRows<KernelId, ValueId>(size(), inputs);
  for (const KernelId kernel : graph_.ids()) {
    GraphId graph = graph_[kernel];
    for (size_t level = 0; level < module.graphs.size() && module.ops.contains(operators.parent(graph)); ++level) {
      const OpId parent = operators.parent(graph);
      if (kernelOf_[parent] != kNone) bodies_[kernelOf_[parent]].push_back(kernel);
      graph = module.ops[parent].graph;
    }
  }
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

std::string kernelLabel(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  if (rule) return rule->label;
  constexpr size_t kMostTypes = 4;
  std::string label(module.text(module.ops[kernel.anchor()].type));
  if (kernel.ops.size() > kMostTypes) return label + " and " + std::to_string(kernel.ops.size() - 1) + " more";
  for (size_t i = 1; i < kernel.ops.size(); ++i) label.append("+").append(module.text(module.ops[kernel.ops[i]].type));
  return label;
}

std::string kernelCategory(const Module& module, const Kernel& kernel) {
  const Rule* rule = ruleOf(module, kernel);
  return rule ? rule->category : std::string(kOtherCategory);
}

ScopeId kernelScope(const Module& module, const Kernel& kernel) { return module.ops[kernel.anchor()].scope; }

}  // namespace amdahlc::ir
