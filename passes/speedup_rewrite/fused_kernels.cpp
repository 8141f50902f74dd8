#include "passes/speedup_rewrite/fused_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "ir/applicability.h"
#include "support/case_folding.h"
#include "support/disjoint_sets.h"
#include "support/name_list.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

/// Steps of the searches for what runs between kernels, in one change. Where kernels are far apart, many lie between.
constexpr int64_t kSearchSteps = 5'000'000;

enum class Between : uint8_t { Nothing, Others, Unknown };

/// Whether a path leads from the group out of it and back. Kernels are in topological order by id.
Between whatRunsBetween(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& group, int64_t& steps) {
  const auto isInside = [&](ir::KernelId kernel) { return std::binary_search(group.begin(), group.end(), kernel); };
  std::vector<ir::KernelId> open = group;
  std::set<ir::KernelId> seen;
  while (!open.empty()) {
    const ir::KernelId at = open.back();
    open.pop_back();
    for (const ir::KernelId next : graph.successors(at)) {
      if (++steps > kSearchSteps) return Between::Unknown;
      if (group.back() < next) continue;
      if (isInside(next)) {
        if (!isInside(at)) return Between::Others;
      } else if (seen.insert(next).second) {
        open.push_back(next);
      }
    }
  }
  return Between::Nothing;
}

std::string listed(const std::vector<ir::KernelId>& kernels) {
  constexpr size_t kMostListed = 8;
  return firstFew(kernels, [](ir::KernelId kernel) { return std::to_string(kernel.index()); }, kMostListed);
}

/// Adds a group unless other kernels run in between.
void add(const ir::KernelGraph& graph, std::vector<ir::KernelId> group, int64_t& steps, FusedKernels& fused) {
  const bool isOneGraph = std::all_of(group.begin(), group.end(), [&](ir::KernelId kernel) {
    return graph.graphOf(kernel) == graph.graphOf(group.front());
  });
  const auto decline = [&](std::string_view why) {
    fused.declined.push_back(fmt::format("kernels {} {}", listed(group), why));
  };
  if (!isOneGraph) return decline("are in different bodies");
  switch (whatRunsBetween(graph, group, steps)) {
    case Between::Nothing:
      return fused.groups.push_back(std::move(group));
    case Between::Others:
      return decline("cannot be one: another kernel needs one of them, and is needed by another one");
    case Between::Unknown:
      return decline("are too far apart to tell what must run between them");
  }
}

/// Of the kernels, ascending, those of one set become one; in order of their first kernels.
FusedKernels fusedSets(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& kernels, DisjointSets& sets) {
  std::map<size_t, std::vector<ir::KernelId>> groups;
  for (const ir::KernelId kernel : kernels) groups[sets.find(kernel.index())].push_back(kernel);
  FusedKernels fused;
  int64_t steps = 0;
  for (auto& [first, group] : groups)
    if (group.size() > 1) add(graph, std::move(group), steps, fused);
  return fused;
}

/// A selector of the kind `Any` names no kernel of any run (see `withKind`), but perhaps what none of them used.
bool names(const ir::Module& module, ir::RuleId rule, const ir::Selector& selector) {
  const ir::Rule& one = module.rules.rules[rule];
  const bool isRule = selector.kind == ir::SelectorKind::Rule || selector.kind == ir::SelectorKind::Any;
  const bool isCategory = selector.kind == ir::SelectorKind::Category || selector.kind == ir::SelectorKind::Any;
  return (isRule && (equalIgnoringCase(one.name, selector.text) || equalIgnoringCase(one.label, selector.text))) ||
         (isCategory && equalIgnoringCase(one.category, selector.text));
}

/// The rules that the selector names and that hold for the target of the run; if none does, those for other targets,
/// because a scenario may ask for what another runtime can do.
IdVector<ir::RuleId, bool> namedRules(const ir::Module& module, const ir::Cover& cover, const ir::Selector& selector) {
  const Timeline* run = module.findTimeline(cover.traceLabel);
  IdVector<ir::RuleId, bool> holding = rulesOn(module.rules, run == nullptr ? module.target : run->target);
  IdVector<ir::RuleId, bool> named;
  bool anyHolds = false;
  for (const ir::RuleId rule : module.rules.rules.ids()) {
    named.push_back(names(module, rule, selector));
    holding[rule] = holding[rule] && named[rule];
    anyHolds = anyHolds || holding[rule];
  }
  return anyHolds ? holding : named;
}

}  // namespace

FusedKernels fusedByRules(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                          const ir::Selector& selector) {
  FusedKernels fused;
  int64_t steps = 0;
  const IdVector<ir::RuleId, bool> named = namedRules(module, cover, selector);
  IdVector<ir::KernelId, bool> isTaken(cover.kernels.size(), false);
  for (const ir::CandidateId id : module.candidates.ids()) {
    const ir::Candidate& candidate = module.candidates[id];
    if (!named[candidate.rule]) continue;
    std::vector<ir::KernelId> kernels;
    for (const ir::OpId op : candidate.ops)
      if (const ir::KernelId kernel = graph.kernelOf(op); kernel != ir::kNone) kernels.push_back(kernel);
    sortUnique(kernels);
    if (kernels.size() < 2 ||
        std::any_of(kernels.begin(), kernels.end(), [&](ir::KernelId kernel) { return isTaken[kernel]; }))
      continue;
    const auto beyond = std::find_if(kernels.begin(), kernels.end(), [&](ir::KernelId kernel) {
      const std::vector<ir::OpId>& ops = cover.kernels[kernel].ops;
      return std::any_of(ops.begin(), ops.end(), [&](ir::OpId op) {
        return !std::binary_search(candidate.ops.begin(), candidate.ops.end(), op);
      });
    });
    if (beyond != kernels.end()) {
      fused.declined.push_back(fmt::format("kernel {} has operators outside of the match at `{}`", beyond->index(),
                                           module.displayName(candidate.root)));
      continue;
    }
    for (const ir::KernelId kernel : kernels) isTaken[kernel] = true;
    add(graph, std::move(kernels), steps, fused);
  }
  return fused;
}

FusedKernels mergedGroups(const ir::KernelGraph& graph, const std::vector<std::vector<ir::KernelId>>& groups) {
  DisjointSets sets(graph.size());
  std::vector<ir::KernelId> kernels;
  for (const std::vector<ir::KernelId>& group : groups)
    for (const ir::KernelId kernel : group) {
      sets.unite(group.front().index(), kernel.index());
      kernels.push_back(kernel);
    }
  sortUnique(kernels);
  return fusedSets(graph, kernels, sets);
}

FusedKernels fusedNeighbours(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& kernels) {
  DisjointSets sets(graph.size());
  for (const ir::KernelId kernel : kernels)
    for (const ir::KernelId next : graph.successors(kernel))
      if (std::binary_search(kernels.begin(), kernels.end(), next)) sets.unite(kernel.index(), next.index());
  return fusedSets(graph, kernels, sets);
}

}  // namespace amdahlc
