#include "ir/kernel_graph.h"

#include <algorithm>
#include <boost/graph/strong_components.hpp>
#include <utility>

#include "support/boost_graph.h"
#include "support/sort_unique.h"

namespace amdahlc::ir {

namespace {

OpId lowestOp(const std::vector<OpId>& ops) { return ops.size() > 1 ? std::min(ops[0], ops[1]) : ops[0]; }

/// Order of vertices by lowest operator, then by all operators, so that it is independent of the caller's numbers.
bool precedes(const std::vector<OpId>& a, const std::vector<OpId>& b) {
  if (lowestOp(a) != lowestOp(b)) return lowestOp(a) < lowestOp(b);
  return a < b;
}

}  // namespace

KernelHolders::KernelHolders(const Module& module, const KernelList& kernels) : module_(module), kernels_(kernels) {
  std::vector<std::pair<OpId, KernelId>> held;
  for (const KernelId kernel : kernels.ids())
    for (const OpId op : kernels[kernel].ops) held.emplace_back(op, kernel);
  holders_ = CompressedRows<OpId, KernelId>(module.ops.size(), held);
}

bool KernelHolders::holds(KernelId kernel, OpId op) const { return std::ranges::find(of(op), kernel) != of(op).end(); }

KernelId KernelHolders::supplier(ValueId value, OpId producer) const {
  if (of(producer).size() == 1) return of(producer).front();
  const auto isInner = [&](KernelId kernel) {
    const auto& candidate = kernels_[kernel].candidate;
    if (!candidate || !module_.candidates.contains(*candidate)) return false;
    const auto& results = module_.candidates[*candidate].results;
    return std::ranges::find(results, value) == results.end();
  };
  return *std::ranges::min_element(of(producer), [&](KernelId a, KernelId b) {
    if (isInner(a) != isInner(b)) return isInner(b);
    return precedes(kernels_[a].ops, kernels_[b].ops);
  });
}

namespace {

/// The quotient of the operator graph by kernels, whose ids here are their places in the list.
class Quotient {
 public:
  Quotient(const Module& module, const OperatorGraph& graph, const KernelList& kernels)
      : holders(module, kernels), module_(module), graph_(graph) {
    stamp_.resize(module.values.size());
    for (const ValueId value : module.values.ids()) follow(value);
    for (const OpId op : graph.order())
      for (const OpId before : module.ops[op].controlPredecessors) addOrder(before, op);
    sortUnique(edges);
    sortUnique(inputUses);
  }

  KernelHolders holders;
  /// (producer, consumer), ascending.
  DirectedGraph<KernelId>::Edges edges;
  /// (kernel, graph input value), ascending.
  std::vector<std::pair<KernelId, ValueId>> inputUses;

 private:
  /// Adds the edges from the producer of `source` to all its users, also through operators that are in no kernel.
  void follow(ValueId source) {
    const Value& value = module_.values[source];
    KernelId from;
    if (value.kind == Value::Kind::Result && module_.ops.contains(value.producer)) {
      if (holders.of(value.producer).empty()) return;
      from = holders.supplier(source, value.producer);
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

  void addOrder(OpId before, OpId op) {
    for (const KernelId from : holders.of(before))
      for (const KernelId to : holders.of(op))
        if (from != to) edges.emplace_back(from, to);
  }

  void visitUse(ValueId source, KernelId from, OpId user) {
    if (!module_.ops.contains(user)) return;
    for (const KernelId to : holders.of(user))
      if (from == kNone)
        inputUses.emplace_back(to, source);
      else if (!holders.holds(to, module_.values[source].producer))  // a kernel that recomputes it does not need it
        edges.emplace_back(from, to);
    if (!holders.of(user).empty()) return;
    for (const ValueId output : module_.ops[user].outputs) {
      if (!module_.values.contains(output) || stamp_[output] == source) continue;
      stamp_[output] = source;
      pending_.push_back(output);
    }
  }

  const Module& module_;
  const OperatorGraph& graph_;
  /// By value: the last source that reached it.
  IdVector<ValueId, ValueId> stamp_;
  std::vector<ValueId> pending_;
};

/// What each kernel needs: the quotient, and for a kernel in a region also the kernels of the region's operator.
DirectedGraph<KernelId> needsOf(const Module& module, const OperatorGraph& graph, const KernelList& kernels) {
  Quotient quotient(module, graph, kernels);
  auto edges = std::move(quotient.edges);
  for (const KernelId kernel : kernels.ids()) {
    const OpId parent = module.graphs[module.ops[kernels[kernel].anchor()].graph].parent;
    if (!module.ops.contains(parent)) continue;
    for (const KernelId owner : quotient.holders.of(parent)) edges.emplace_back(owner, kernel);
  }
  sortUnique(edges);
  return {kernels.size(), std::move(edges)};
}

}  // namespace

std::optional<KernelList> numberKernels(const Module& module, const OperatorGraph& graph, const KernelList& kernels) {
  const auto ids = kernels.ids();
  std::vector<KernelId> byLowestOp(ids.begin(), ids.end());
  std::ranges::sort(byLowestOp, [&](KernelId a, KernelId b) { return precedes(kernels[a].ops, kernels[b].ops); });
  IdVector<KernelId, uint32_t> rank(kernels.size());
  for (uint32_t i = 0; i < byLowestOp.size(); ++i) rank[byLowestOp[i]] = i;

  KernelList numbered;
  numbered.reserve(kernels.size());
  for (const KernelId place : lowestFirstOrder(needsOf(module, graph, kernels), rank))
    numbered.push_back({numbered.nextId(), kernels[place].candidate, kernels[place].ops});
  if (numbered.size() != kernels.size()) return std::nullopt;
  return numbered;
}

std::vector<size_t> cycleOf(const Module& module, const OperatorGraph& graph, const KernelList& kernels) {
  const DirectedGraph<KernelId> needs = needsOf(module, graph, kernels);
  IdVector<KernelId, size_t> component(needs.size());
  const size_t components = boost::strong_components(
      needs, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, needs)));
  std::vector<std::vector<size_t>> members(components);
  for (const KernelId kernel : component.ids()) members[component[kernel]].push_back(kernel.index());
  std::erase_if(members, [](const auto& cycle) { return cycle.size() < 2; });
  return members.empty() ? std::vector<size_t>() : *std::ranges::min_element(members);
}

KernelNesting::KernelNesting(const Module& module, const Cover& cover) : kernelOf_(module.ops.size()) {
  for (const Kernel& kernel : cover.kernels) {
    graph_.push_back(module.ops[kernel.anchor()].graph);
    for (const OpId op : kernel.ops) kernelOf_[op] = std::min(kernelOf_[op], kernel.id);
  }
  std::vector<std::pair<KernelId, KernelId>> bodies;
  for (const KernelId kernel : graph_.ids()) {
    GraphId graph = graph_[kernel];
    for (size_t level = 0; level < module.graphs.size() && module.ops.contains(module.graphs[graph].parent); ++level) {
      const OpId parent = module.graphs[graph].parent;
      if (kernelOf_[parent] != kNone) bodies.emplace_back(kernelOf_[parent], kernel);
      graph = module.ops[parent].graph;
    }
  }
  bodies_ = CompressedRows<KernelId, KernelId>(graph_.size(), bodies);
}

KernelGraph::KernelGraph(const Module& module, const OperatorGraph& operators, const Cover& cover)
    : KernelNesting(module, cover) {
  Quotient quotient(module, operators, cover.kernels);
  // In order of producers, so each list of predecessors comes out ascending.
  setEdges(cover.kernels.size(), std::move(quotient.edges));
  inputs_ = CompressedRows<KernelId, ValueId>(size(), quotient.inputUses);
}

bool hasNoDeviceWork(const Module& module, const Kernel& kernel) {
  const Rule* rule = module.ruleOf(kernel);
  return rule != nullptr && rule->noDeviceWork;
}

std::string kernelLabel(const Module& module, const Kernel& kernel) {
  const Rule* rule = module.ruleOf(kernel);
  if (rule) return rule->label;
  constexpr size_t kMostTypes = 4;
  std::string label(module.text(module.ops[kernel.anchor()].type));
  if (kernel.ops.size() > kMostTypes) return label + " and " + std::to_string(kernel.ops.size() - 1) + " more";
  for (size_t i = 1; i < kernel.ops.size(); ++i) label.append("+").append(module.text(module.ops[kernel.ops[i]].type));
  return label;
}

std::string kernelCategory(const Module& module, const Kernel& kernel) {
  const Rule* rule = module.ruleOf(kernel);
  if (rule) return rule->category;
  for (const auto& [key, value] : module.ops[kernel.anchor()].metadata)
    if (module.text(key) == kCategoryKey) return std::string(module.text(value));
  return std::string(kOtherCategory);
}

ScopeId kernelScope(const Module& module, const Kernel& kernel) { return module.ops[kernel.anchor()].scope; }

}  // namespace amdahlc::ir
