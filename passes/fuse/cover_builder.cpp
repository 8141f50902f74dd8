#include "passes/fuse/cover_builder.h"

#include <algorithm>
#include <utility>

#include "ir/applicability.h"
#include "ir/kernel_graph.h"
#include "passes/fuse/choice_order.h"
#include "support/disjoint_sets.h"

namespace amdahlc {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;

CoverBuilder::CoverBuilder(const ir::Module& module, const ir::OperatorGraph& graph)
    : module_(module),
      graph_(graph),
      quotient_(graph_),
      decisions_(module.candidates.size()),
      chosenFor_(module.ops.size()),
      inGroup_(module.ops.size(), false) {}

const Decision& CoverBuilder::choose(CandidateId id) {
  Decision& decision = decisions_[id];
  if (decision.choice != Choice::Undecided) return decision;
  const ir::Candidate& candidate = module_.candidates[id];
  const auto result = quotient_.add(candidate.ops, candidate.root, module_.rules.rules[candidate.rule].recompute);
  decision = {result.choice, result.op, kNone};
  if (result.choice == Choice::Overlaps) decision.rival = chosenFor_[result.op];
  if (result.choice == Choice::Chosen) {
    chosen_.push_back(id);
    for (const OpId op : candidate.ops)
      if (chosenFor_[op] == kNone) chosenFor_[op] = id;
  }
  return decision;
}

void CoverBuilder::choose(std::span<const CandidateId> candidates) {
  for (const CandidateId candidate : candidates) choose(candidate);
}

bool CoverBuilder::addGroup(std::vector<OpId> ops) {
  if (quotient_.add(ops, ops.front(), false).choice != Choice::Chosen) return false;
  for (const OpId op : ops) inGroup_[op] = true;
  groups_.push_back(std::move(ops));
  return true;
}

bool CoverBuilder::isCovered(OpId op) const { return chosenFor_[op] != kNone || inGroup_[op]; }

std::optional<IdVector<ir::KernelId, ir::Kernel>> CoverBuilder::kernels() const {
  ir::KernelList kernels;
  kernels.reserve(chosen_.size() + groups_.size() + graph_.liveCount());
  for (const CandidateId id : chosen_) {
    const ir::Candidate& candidate = module_.candidates[id];
    auto& ops = kernels.emplace_back(ir::Kernel{{}, id, candidate.ops}).ops;
    const auto anchor = std::find(ops.begin(), ops.end(), candidate.anchor);
    if (anchor != ops.end()) std::rotate(ops.begin(), anchor, anchor + 1);
  }
  for (const std::vector<OpId>& group : groups_) kernels.push_back({{}, std::nullopt, group});
  for (const OpId op : graph_.order())
    if (!isCovered(op)) kernels.push_back({{}, std::nullopt, {op}});
  return ir::numberKernels(module_, graph_, kernels);
}

std::optional<IdVector<ir::KernelId, ir::Kernel>> coverFromSelection(const ir::Module& module,
                                                                     const ir::OperatorGraph& graph,
                                                                     std::span<const CandidateId> preferred,
                                                                     std::span<const CandidateId> excluded) {
  CoverBuilder builder(module, graph);
  IdVector<CandidateId, bool> isBarred(module.candidates.size(), false);
  for (const CandidateId candidate : excluded) isBarred[candidate] = true;
  for (const CandidateId candidate : preferred) {
    if (!isBarred[candidate]) builder.choose(candidate);
  }
  for (const CandidateId candidate : ChoiceOrder(module, graph).candidates()) {
    if (!isBarred[candidate]) builder.choose(candidate);
  }
  return builder.kernels();
}

void assignComponents(IdVector<CandidateId, ir::Candidate>& candidates, size_t opCount) {
  DisjointSets components(candidates.size());
  IdVector<OpId, CandidateId> firstHolder(opCount);
  for (const CandidateId id : candidates.ids()) {
    for (const OpId op : candidates[id].ops) {
      if (firstHolder[op] == kNone)
        firstHolder[op] = id;
      else
        components.unite(firstHolder[op].index(), id.index());
    }
  }
  uint32_t count = 0;
  for (const CandidateId id : candidates.ids()) {
    const CandidateId first(components.find(id.index()));  // the lowest of its component, so it has its number already
    candidates[id].component = first == id ? count++ : candidates[first].component;
  }
}

std::vector<CandidateId> candidatesOf(const ir::Module& module, const ir::OperatorGraph& graph,
                                      const IdVector<ir::RuleId, bool>& admitted) {
  std::vector<CandidateId> order = ChoiceOrder(module, graph).candidates();
  std::erase_if(order, [&](CandidateId id) {
    const ir::RuleId rule = module.candidates[id].rule;
    return !admitted[rule] || module.rules.rules[rule].generated;
  });
  return order;
}

std::optional<TargetGrouping> groupingOn(const ir::Module& module, const ir::OperatorGraph& graph,
                                         const Target& target) {
  TargetGrouping grouping{rulesOn(module.rules, target), viewsOn(module.rules, target), {}};
  CoverBuilder builder(module, graph);
  builder.choose(candidatesOf(module, graph, grouping.admitted));
  auto kernels = builder.kernels();
  if (!kernels) return std::nullopt;
  grouping.kernels = std::move(*kernels);
  return grouping;
}

}  // namespace amdahlc
