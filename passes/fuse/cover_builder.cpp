#include "passes/fuse/cover_builder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "passes/fuse/kernel_quotient.h"
#include "passes/fuse/operator_graph.h"

namespace amdahlc {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;

CoverBuilder::CoverBuilder(const ir::Module& module, const ir::UseIndex& uses)
    : module_(module),
      uses_(uses),
      ownGraph_(std::make_unique<OperatorGraph>(module, uses)),
      graph_(*ownGraph_),
      quotient_(std::make_unique<KernelQuotient>(graph_)),
      decisions_(module.candidates.size()),
      chosenFor_(module.ops.size()) {}

CoverBuilder::CoverBuilder(const ir::Module& module, const ir::UseIndex& uses, const OperatorGraph& graph)
    : module_(module),
      uses_(uses),
      graph_(graph),
      quotient_(std::make_unique<KernelQuotient>(graph_)),
      decisions_(module.candidates.size()),
      chosenFor_(module.ops.size()) {}

CoverBuilder::CoverBuilder(CoverBuilder&&) noexcept = default;
CoverBuilder::~CoverBuilder() = default;

const Decision& CoverBuilder::choose(CandidateId id) {
  Decision& decision = decisions_[id];
  if (decision.choice != Choice::Undecided) return decision;
  const ir::Candidate& candidate = module_.candidates[id];
  const auto result = quotient_->add(candidate.ops, candidate.root, module_.rules.rules[candidate.rule].recompute);
  switch (result.outcome) {
    case KernelQuotient::Outcome::Added:
      decision = {Choice::Chosen, kNone, kNone};
      chosen_.push_back(id);
      for (const OpId op : candidate.ops) {
        if (chosenFor_[op] == kNone) chosenFor_[op] = id;
      }
      break;
    case KernelQuotient::Outcome::Taken:
      decision = {Choice::Overlaps, result.op, chosenFor_[result.op]};
      break;
    case KernelQuotient::Outcome::Cycle:
      decision = {Choice::Cycle, result.op, kNone};
      break;
    case KernelQuotient::Outcome::TooLarge:
      decision = {Choice::TooLarge, kNone, kNone};
      break;
  }
  return decision;
}

void CoverBuilder::choose(std::span<const CandidateId> candidates) {
  for (const CandidateId candidate : candidates) choose(candidate);
}

bool CoverBuilder::isCovered(OpId op) const { return chosenFor_[op] != kNone; }

std::optional<IdVector<ir::KernelId, ir::Kernel>> CoverBuilder::kernels() const {
  ir::Grouping grouping;
  const size_t bound = chosen_.size() + graph_.liveCount();
  grouping.groups.reserve(bound);
  grouping.candidate.reserve(bound);
  for (const CandidateId id : chosen_) {
    const ir::Candidate& candidate = module_.candidates[id];
    auto& ops = grouping.groups.emplace_back(candidate.ops);
    const auto anchor = std::find(ops.begin(), ops.end(), candidate.anchor);
    if (anchor != ops.end()) std::rotate(ops.begin(), anchor, anchor + 1);
    grouping.candidate.emplace_back(id);
  }
  for (const OpId op : graph_.order()) {
    if (isCovered(op)) continue;
    grouping.groups.push_back({op});
    grouping.candidate.emplace_back();
  }
  return ir::numberKernels(module_, uses_, grouping);
}

std::vector<CandidateId> choiceOrder(const ir::Module& module, const OperatorGraph& graph) {
  // Candidates come sorted by rule and root, so that almost all of the order is there: they are dealt into bins by what goes before the rule.
  const auto& candidates = module.candidates;
  std::map<std::pair<int64_t, int64_t>, uint32_t> bins;  // (-priority, -owned)
  const auto key = [&](const ir::Candidate& candidate) {
    // A priority at the lower end of its range cannot be negated; no rule needs to tell it from its neighbour.
    const int64_t priority =
        std::max(module.rules.rules[candidate.rule].priority, -std::numeric_limits<int64_t>::max());
    return std::pair{-priority, -static_cast<int64_t>(candidate.owned)};
  };
  for (const ir::Candidate& candidate : candidates) ++bins[key(candidate)];
  uint32_t next = 0;
  for (auto& [bin, count] : bins) next += std::exchange(count, next);
  std::vector<CandidateId> order(candidates.size());
  for (const CandidateId id : candidates.ids()) order[bins[key(candidates[id])]++] = id;

  const auto precedes = [&](CandidateId left, CandidateId right) {
    const ir::Candidate& a = candidates[left];
    const ir::Candidate& b = candidates[right];
    if (a.root != b.root) return graph.position(a.root) < graph.position(b.root);
    if (a.alternative != b.alternative) return a.alternative < b.alternative;
    if (a.ops.size() != b.ops.size()) return a.ops.size() > b.ops.size();
    return left < right;
  };
  for (auto first = order.begin(); first != order.end();) {
    const ir::Candidate& of = candidates[*first];
    const auto sameBinAndRule = [&](CandidateId id) {
      return candidates[id].rule == of.rule && candidates[id].owned == of.owned;
    };
    const auto last = std::find_if_not(first, order.end(), sameBinAndRule);
    if (!std::is_sorted(first, last, precedes)) std::sort(first, last, precedes);
    first = last;
  }
  return order;
}

std::vector<CandidateId> choiceOrder(const ir::Module& module) {
  return choiceOrder(module, OperatorGraph(module, ir::UseIndex(module)));
}

std::optional<IdVector<ir::KernelId, ir::Kernel>> coverFromSelection(const ir::Module& module, const ir::UseIndex& uses,
                                                                     std::span<const CandidateId> preferred,
                                                                     std::span<const CandidateId> barred) {
  const OperatorGraph graph(module, uses);
  CoverBuilder builder(module, uses, graph);
  IdVector<CandidateId, bool> isBarred(module.candidates.size(), false);
  for (const CandidateId candidate : barred) isBarred[candidate] = true;
  for (const CandidateId candidate : preferred) {
    if (!isBarred[candidate]) builder.choose(candidate);
  }
  for (const CandidateId candidate : choiceOrder(module, graph)) {
    if (!isBarred[candidate]) builder.choose(candidate);
  }
  return builder.kernels();
}

ConflictComponents::ConflictComponents(const ir::Module& module) {
  uint32_t count = 0;
  for (const ir::Candidate& candidate : module.candidates) count = std::max(count, candidate.component + 1);
  first_.assign(count + 1, 0);
  for (const ir::Candidate& candidate : module.candidates) ++first_[candidate.component + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
  candidates_.resize(module.candidates.size());
  for (const CandidateId id : module.candidates.ids()) candidates_[next[module.candidates[id].component]++] = id;
}

void assignComponents(IdVector<CandidateId, ir::Candidate>& candidates, size_t opCount) {
  IdVector<CandidateId, CandidateId> parent(candidates.size());
  for (const CandidateId id : candidates.ids()) parent[id] = id;
  const auto find = [&](CandidateId id) {
    while (parent[id] != id) id = parent[id] = parent[parent[id]];
    return id;
  };
  IdVector<OpId, CandidateId> firstHolder(opCount);
  for (const CandidateId id : candidates.ids()) {
    for (const OpId op : candidates[id].ops) {
      if (firstHolder[op] == kNone) {
        firstHolder[op] = id;
        continue;
      }
      const CandidateId a = find(firstHolder[op]);
      const CandidateId b = find(id);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  uint32_t count = 0;
  for (const CandidateId id : candidates.ids()) {
    const CandidateId first = find(id);  // the lowest of its component, so numbered before
    candidates[id].component = first == id ? count++ : candidates[first].component;
  }
}

}  // namespace amdahlc
