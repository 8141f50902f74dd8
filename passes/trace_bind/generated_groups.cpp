/// The groups of operators for the names of generated kernels.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "ir/applicability.h"
#include "passes/fuse/cover_builder.h"
#include "passes/trace_bind/generated_code.h"

namespace amdahlc::binding {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;
using ir::RuleId;
using ir::ValueId;

namespace {

/// How many parts at the begin of a group are left out, one after the other.
constexpr int kMostLeftOut = 3;

auto orderOf(const ir::Candidate& candidate) {
  return std::tie(candidate.rule, candidate.alternative, candidate.root, candidate.ops);
}

/// Adds candidates that the module lacks, in the order of ids; the covers follow the new ids.
void insert(ir::Module& module, std::vector<ir::Candidate> added) {
  // Those that the module has are the first of equal ones.
  std::vector<std::pair<ir::Candidate, CandidateId>> all;
  for (const CandidateId id : module.candidates.ids()) all.emplace_back(std::move(module.candidates[id]), id);
  for (ir::Candidate& candidate : added) all.emplace_back(std::move(candidate), kNone);
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return orderOf(a.first) < orderOf(b.first); });
  IdVector<CandidateId, CandidateId> renamed(module.candidates.size());
  IdVector<CandidateId, ir::Candidate> candidates;
  for (auto& [candidate, id] : all) {
    if (id == kNone && !candidates.empty() &&
        orderOf(candidates[CandidateId(candidates.size() - 1)]) == orderOf(candidate))
      continue;
    const CandidateId now = candidates.push_back(std::move(candidate));
    if (id != kNone) renamed[id] = now;
  }
  module.candidates = std::move(candidates);
  assignComponents(module.candidates, module.ops.size());
  for (ir::Cover& cover : module.covers)
    for (ir::Kernel& kernel : cover.kernels)
      if (kernel.candidate) kernel.candidate = renamed[*kernel.candidate];
}

}  // namespace

GeneratedCode::Tiling GeneratedCode::tile(RuleId rule, std::string_view list) {
  const auto& allowed = places(rule, list);
  Tiling tiling;
  tiling.partOf.assign(module_.ops.size(), ir::kNoIndex);
  for (const CandidateId id : byChoice_) {
    if ((meaning(module_.candidates[id].rule, list).one | meaning(module_.candidates[id].rule, list).all) == 0)
      continue;
    const auto& ops = module_.candidates[id].ops;
    if (!mayHold(allowed, id) || std::ranges::any_of(ops, [&](OpId op) { return tiling.partOf[op] != ir::kNoIndex; }))
      continue;
    if (const Meaning found = meaning(id, list); (found.one | found.all) == 0) continue;
    for (const OpId op : ops) tiling.partOf[op] = static_cast<uint32_t>(tiling.parts.size());
    tiling.parts.push_back(id);
  }
  return tiling;
}

/// Whether a graph returns a result of the operator.
bool GeneratedCode::isReturned(OpId op) const {
  return std::ranges::any_of(operators_.outputs(op), [&](ValueId output) {
    return output != kNone && (operators_.isGraphOutput(output) || !operators_.returnedBy(output).empty());
  });
}

/// Whether something reads the result of the operator, through views, that is in no part or begins a group.
bool GeneratedCode::isLiveBeyond(const Tiling& tiling, const IdVector<OpId, Place>& allowed, OpId op) const {
  std::vector<OpId> pending{op};
  std::set<OpId> seen{op};
  while (!pending.empty()) {
    const OpId at = pending.back();
    pending.pop_back();
    if (isReturned(at)) return true;
    for (const OpId user : operators_.successors(at)) {
      if (tiling.partOf[user] != ir::kNoIndex && !free_[user] && allowed[user] != Place::Once) continue;
      if (!free_[user]) return true;
      if (seen.insert(user).second) pending.push_back(user);
    }
  }
  return false;
}

/// Views at the begin and at the end of a group are none of its work.
std::vector<OpId> GeneratedCode::trimmed(std::vector<OpId> ops) const {
  for (bool changed = true; changed;) {
    const auto isInside = [&](std::span<const OpId> neighbors) {
      return std::ranges::any_of(neighbors, [&](OpId op) { return holds(ops, op); });
    };
    std::vector<OpId> kept;
    for (const OpId op : ops)
      if (!free_[op] || (isInside(operators_.predecessors(op)) && isInside(operators_.successors(op))))
        kept.push_back(op);
    changed = kept.size() != ops.size();
    ops = std::move(kept);
  }
  return ops;
}

/// The largest group that ends in part `last`; empty if it is too large.
std::vector<OpId> GeneratedCode::grow(const Tiling& tiling, const IdVector<OpId, Place>& allowed, uint32_t last) const {
  const auto position = [&](OpId op) { return operators_.position(op); };
  const auto& end = module_.candidates[tiling.parts[last]].ops;
  uint32_t behind = 0;
  for (const OpId op : end) behind = std::max(behind, position(op));
  std::set<OpId> group;
  std::priority_queue<std::pair<uint32_t, OpId>> pending;
  size_t parts = 0;
  bool hasOnce = false;
  const auto isOnce = [&](OpId op) { return allowed[op] == Place::Once; };
  const auto add = [&](std::span<const OpId> ops) {
    group.insert(ops.begin(), ops.end());
    // What it reads is not generated.
    if (std::ranges::any_of(ops, isOnce)) {
      hasOnce = true;
      return;
    }
    for (const OpId op : ops)
      for (const OpId producer : operators_.predecessors(op))
        if (!group.contains(producer) && !operators_.isKnownBeforeRun(producer))
          pending.emplace(position(producer), producer);
  };
  // Otherwise its result is needed before the group can run.
  const auto isReadLate = [&](OpId op, std::span<const OpId> together) {
    const auto users = operators_.successors(op);
    return std::ranges::all_of(users, [&](OpId user) {
      if (std::ranges::find(together, user) != together.end()) return true;
      return position(user) > behind || (group.contains(user) && !isOnce(user));
    });
  };
  add(end);
  while (!pending.empty()) {
    const OpId op = pending.top().second;
    pending.pop();
    if (group.contains(op)) continue;
    const uint32_t part = tiling.partOf[op];
    const std::span<const OpId> together =
        part == ir::kNoIndex ? std::span<const OpId>(&op, 1) : module_.candidates[tiling.parts[part]].ops;
    if (part == ir::kNoIndex && !free_[op]) continue;
    if (hasOnce && std::ranges::any_of(together, isOnce)) continue;
    if (!std::ranges::all_of(together, [&](OpId one) { return isReadLate(one, together); })) continue;
    if (part != ir::kNoIndex && ++parts > kMostParts) return {};
    add(together);
  }
  return trimmed({group.begin(), group.end()});
}

/// Without its first part, if others read the result of that; empty if not.
std::vector<OpId> GeneratedCode::withoutFirst(const Tiling& tiling, const std::vector<OpId>& ops) const {
  OpId first = kNone;
  for (const OpId op : ops)
    if (!free_[op] && (first == kNone || operators_.position(op) < operators_.position(first))) first = op;
  if (first == kNone || tiling.partOf[first] == ir::kNoIndex) return {};
  const auto& part = module_.candidates[tiling.parts[tiling.partOf[first]]].ops;
  bool isShared = false;
  for (const OpId op : part) {
    for (const OpId user : operators_.successors(op)) isShared |= !holds(ops, user) && !holds(part, user);
    isShared |= isReturned(op);
  }
  if (!isShared) return {};
  std::vector<OpId> rest;
  std::ranges::set_difference(ops, part, std::back_inserter(rest));
  return trimmed(std::move(rest));
}

ir::Candidate GeneratedCode::candidateOf(RuleId rule, const std::vector<OpId>& ops) const {
  ir::Candidate candidate;
  candidate.rule = rule;
  candidate.ops = ops;
  for (const OpId op : ops) {
    if (free_[op]) continue;
    ++candidate.owned;
    if (candidate.root == kNone || operators_.position(op) > operators_.position(candidate.root)) candidate.root = op;
  }
  // It runs when all that it reads is there.
  candidate.anchor = candidate.root;
  std::vector<ValueId> others;
  for (const OpId op : ops)
    for (const ValueId output : operators_.outputs(op)) {
      if (output == kNone) continue;
      const auto uses = operators_.uses(output);
      if (operators_.isGraphOutput(output) ||
          std::ranges::any_of(uses, [&](const auto& use) { return !holds(ops, use.op); }))
        (op == candidate.root ? candidate.results : others).push_back(output);
    }
  std::ranges::sort(others);
  candidate.results.insert(candidate.results.end(), others.begin(), others.end());
  return candidate;
}

std::vector<ir::Candidate> GeneratedCode::groups(RuleId rule, std::string_view list, size_t kernels) {
  std::set<std::vector<OpId>> found;
  if (read(list).needed == 0) return {};
  const Tiling tiling = tile(rule, list);
  const auto& allowed = places(rule, list);
  for (uint32_t part = 0; part < tiling.parts.size(); ++part) {
    const auto& ops = module_.candidates[tiling.parts[part]].ops;
    if (std::ranges::none_of(ops, [&](OpId op) { return isLiveBeyond(tiling, allowed, op); })) continue;
    std::vector<OpId> group = grow(tiling, allowed, part);
    for (int leftOut = 0; leftOut <= kMostLeftOut && !group.empty(); ++leftOut) {
      if (explains(rule, group, list)) found.insert(group);
      group = withoutFirst(tiling, group);
    }
  }
  unite(rule, list, kernels, found);
  std::vector<ir::Candidate> candidates;
  for (const auto& group : found) candidates.push_back(candidateOf(rule, group));
  return candidates;
}

/// Adds for each kernel of a library the union of the largest groups that it reads, if the list explains it.
void GeneratedCode::unite(RuleId rule, std::string_view list, size_t kernels, std::set<std::vector<OpId>>& groups) {
  std::map<ir::KernelId, std::vector<const std::vector<OpId>*>> read;
  for (const auto& group : groups)
    for (const ir::KernelId reader : libraryReaders(rule, group, list)) read[reader].push_back(&group);
  std::set<std::vector<OpId>> unions;
  for (auto& [reader, parts] : read) {
    std::ranges::stable_sort(parts, std::ranges::greater(), [](const auto* group) { return group->size(); });
    std::set<OpId> ops;
    size_t count = 0;
    for (const auto* group : parts) {
      if (std::ranges::any_of(*group, [&](OpId op) { return ops.contains(op); })) continue;
      ops.insert(group->begin(), group->end());
      ++count;
    }
    std::vector<OpId> together(ops.begin(), ops.end());
    if (count > 1 && ops.size() <= kMostParts && explains(rule, together, list)) unions.insert(std::move(together));
  }
  if (kernels <= unions.size())
    std::erase_if(groups, [&](const auto& group) {
      return std::ranges::any_of(unions, [&](const auto& whole) { return std::ranges::includes(whole, group); });
    });
  groups.merge(unions);
}

namespace {

/// By list, how many kernels with it an iteration runs, at most.
std::map<std::string, size_t, std::less<>> kernelsByList(std::span<const Timeline* const> timelines) {
  std::map<std::string, size_t, std::less<>> most;
  for (const Timeline* timeline : timelines) {
    const RuntimeAdapter& runtime = runtimeAdapter(timeline->target.runtime);
    std::map<std::pair<std::string_view, int32_t>, size_t> kernels;
    for (const EventIndex event : timeline->selectedEvents())
      ++kernels[{runtime.operatorList(timeline->text(timeline->name[event])), timeline->iteration[event]}];
    for (const auto& [key, count] : kernels) {
      size_t& known = most[std::string(key.first)];
      known = std::max(known, count);
    }
  }
  return most;
}

}  // namespace

void addGeneratedCandidates(ir::Module& module, const ir::OperatorGraph& operators) {
  std::vector<const Timeline*> unbound;
  for (const Timeline& timeline : module.timelines)
    if (!module.coverOfRun(timeline.label)) unbound.push_back(&timeline);
  addGeneratedCandidates(module, operators, unbound);
}

void addGeneratedCandidates(ir::Module& module, const ir::OperatorGraph& operators,
                            std::span<const Timeline* const> timelines) {
  std::vector<RuleId> rules;
  for (const RuleId rule : module.rules.rules.ids())
    if (module.rules.rules[rule].generated) rules.push_back(rule);
  if (rules.empty()) return;
  std::vector<ir::Candidate> added;
  const std::map<std::string, size_t, std::less<>> most = kernelsByList(timelines);
  // The groups of a list depend on the rules of the target.
  std::set<std::tuple<std::string, RuleId, std::string>> done;
  for (const Timeline* run : timelines) {
    const Timeline& timeline = *run;
    const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
    const std::string target =
        fmt::format("{}/{}/{}", timeline.target.runtime, timeline.target.vendor, timeline.target.arch);
    std::optional<GeneratedCode> code;
    std::set<uint32_t> seen;
    for (const EventIndex event : timeline.selectedEvents()) {
      const Symbol name = timeline.name[event];
      if (!seen.insert(name.index).second) continue;
      const std::string_view list = runtime.operatorList(timeline.text(name));
      if (list.empty()) continue;
      for (const RuleId rule : rules) {
        const ir::Rule& at = module.rules.rules[rule];
        const bool fits = applies(at.where, timeline.target) &&
                          std::ranges::any_of(at.launches, [&](const ir::LaunchSequence& sequence) {
                            return applies(sequence.where, timeline.target) && sequence.steps.size() == 1 &&
                                   KernelTest(sequence.steps[0].test).holdsOn(timeline.text(name));
                          });
        if (!fits || !done.emplace(target, rule, list).second) continue;
        if (!code) {
          auto grouping = groupingOn(module, operators, timeline.target);
          if (!grouping) return;
          code.emplace(module, operators, std::move(*grouping), runtime);
        }
        for (ir::Candidate& candidate : code->groups(rule, list, most.find(list)->second))
          added.push_back(std::move(candidate));
      }
    }
  }
  if (!added.empty()) insert(module, std::move(added));
}

}  // namespace amdahlc::binding
