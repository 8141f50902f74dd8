#include "passes/trace_bind/generated_code.h"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/applicability.h"
#include "ir/kernel_graph.h"
#include "passes/fuse/choice_order.h"
#include "replay/runtimes/operator_name.h"

namespace amdahlc::binding {

using ir::CandidateId;
using ir::kNone;
using ir::OpId;
using ir::RuleId;

namespace {

/// A compiler computes again what is cheap and near, so that few operators before a group are looked at.
constexpr size_t kMostElsewhere = 256;

bool isNeeded(const ir::KernelStep& step) { return step.min > 0; }

/// Gives each needed name a part of its own (Kuhn's algorithm).
class Matching {
 public:
  Matching(std::span<const uint64_t> namesOfPart) : namesOfPart_(namesOfPart), nameOf_(namesOfPart.size(), -1) {}
  bool place(int name) {
    tried_.assign(namesOfPart_.size(), false);
    return search(name);
  }

 private:
  bool search(int name) {
    for (size_t part = 0; part < namesOfPart_.size(); ++part) {
      if (!(namesOfPart_[part] >> name & 1) || tried_[part]) continue;
      tried_[part] = true;
      if (nameOf_[part] >= 0 && !search(nameOf_[part])) continue;
      nameOf_[part] = name;
      return true;
    }
    return false;
  }
  std::span<const uint64_t> namesOfPart_;
  std::vector<int> nameOf_;
  std::vector<bool> tried_;
};

}  // namespace

GeneratedCode::GeneratedCode(const ir::Module& module, const ir::OperatorGraph& operators, TargetGrouping grouping,
                             const RuntimeAdapter& runtime)
    : module_(module), operators_(operators), grouping_(std::move(grouping)), runtime_(runtime) {
  const size_t count = module.ops.size();
  free_.assign(count, false);
  holding_.resize(count);
  kernelOf_.assign(count, kNone);
  for (const ir::KernelId id : grouping_.kernels.ids())
    for (const OpId op : grouping_.kernels[id].ops) {
      kernelOf_[op] = id;
      if (ir::hasNoDeviceWork(module, grouping_.kernels[id])) free_[op] = true;
    }
  for (const OpId op : operators.order())
    if (isOneOf(grouping_.views, module, op)) free_[op] = true;
  rank_.assign(module.candidates.size(), ir::kNoIndex);
  for (const CandidateId id : ChoiceOrder(module, operators).candidates()) {
    const ir::Rule& rule = module.ruleOf(id);
    if (rule.noDeviceWork || rule.generated || !grouping_.admitted[module.candidates[id].rule]) continue;
    rank_[id] = static_cast<uint32_t>(byChoice_.size());
    byChoice_.push_back(id);
    for (const OpId op : module.candidates[id].ops) holding_[op].push_back(id);
  }
}

const GeneratedCode::List& GeneratedCode::read(std::string_view text) {
  if (const auto found = lists_.find(text); found != lists_.end()) return found->second;
  std::set<RuleId> rules;
  for (const CandidateId id : byChoice_) rules.insert(module_.candidates[id].rule);
  std::map<std::string, bool, std::less<>> known;
  List list;
  list.calls = runtime_.listedOperators(text, [&](std::string_view call) {
    const auto [entry, isNew] = known.try_emplace(std::string(call), false);
    if (isNew)
      entry->second = std::ranges::any_of(
          rules, [&](RuleId rule) { return operatorPatterns_.isNamed(module_.rules.rules[rule], call); });
    return entry->second;
  });
  if (list.calls.size() > 64) list.calls.clear();
  for (size_t i = 0; i < list.calls.size(); ++i) {
    const OperatorRole role = runtime_.role(list.calls[i], true);
    if (role == OperatorRole::Work && !runtime_.createsConstant(list.calls[i])) list.needed |= Names{1} << i;
  }
  return lists_.emplace(std::string(text), std::move(list)).first->second;
}

/// A rule whose kernel is the calls of several operators means all of them: each needed step, as a call that the trace
/// would name like the operator.
const GeneratedCode::Meaning& GeneratedCode::meaning(RuleId rule, std::string_view text) {
  const auto [entry, isNew] = meanings_.try_emplace({rule, std::string(text)});
  Meaning& result = entry->second;
  if (!isNew) return result;
  const List& list = read(text);
  for (const ir::LaunchSequence& sequence : module_.rules.rules[rule].launches) {
    const auto needed = std::ranges::count_if(sequence.steps, isNeeded);
    Names named = 0;
    for (size_t i = 0; i < list.calls.size(); ++i)
      if (operatorPatterns_.isNamed(sequence, list.calls[i])) named |= Names{1} << i;
    result.named |= named;
    if (needed <= 1) {
      result.one |= named;
      continue;
    }
    Names all = 0;
    for (const ir::KernelStep& step : sequence.steps) {
      if (!isNeeded(step)) continue;
      const KernelTest test(step.test);
      Names ofStep = 0;
      for (size_t i = 0; i < list.calls.size() && ofStep == 0; ++i) {
        if (!test.acceptsAnything() && (named >> i & 1) && test.holdsOn(list.calls[i])) ofStep = Names{1} << i;
      }
      if (ofStep == 0) {
        all = 0;
        break;
      }
      all |= ofStep;
    }
    if (all != 0 && result.all == 0) result.all = all;
  }
  return result;
}

GeneratedCode::Meaning GeneratedCode::meaning(CandidateId id, std::string_view text) {
  const ir::Candidate& candidate = module_.candidates[id];
  Meaning result = meaning(candidate.rule, text);
  const std::string_view target = module_.text(module_.ops[candidate.anchor].sourceTarget);
  if (target.empty() || result.one == 0) return result;
  const std::string call = originCall(target);
  if (!operatorPatterns_.isNamed(module_.rules.rules[candidate.rule], call)) return result;
  // `max_pool2d_with_indices` is what `max_pool2d` calls.
  const auto isVariant = [&](std::string_view listed) {
    return listed.starts_with(call + "_") || runtime_.comparableName(listed) == runtime_.comparableName(call);
  };
  const List& list = read(text);
  for (size_t i = 0; i < list.calls.size(); ++i)
    if (!isVariant(list.calls[i])) result.one &= ~(Names{1} << i);
  return result;
}

/// What the default cover runs together with one operator that the rule does not allow, such as the bias of a matrix
/// product, is outside as well. A kernel of several such operators, such as attention, may also run as its parts,
/// unless the list names it.
const IdVector<OpId, GeneratedCode::Place>& GeneratedCode::places(RuleId rule, std::string_view list) {
  const auto [entry, isNew] = places_.try_emplace({rule, std::string(list)});
  auto& result = entry->second;
  if (!isNew) return result;
  const auto& patterns = module_.rules.rules[rule].patterns;
  result.assign(module_.ops.size(), Place::Outside);
  for (const OpId op : operators_.order()) {
    if (operators_.isKnownBeforeRun(op) || !module_.ops[op].regions.empty()) continue;
    const std::string_view domain = module_.text(module_.ops[op].domain), type = module_.text(module_.ops[op].type);
    for (size_t i = 0; i < patterns.size() && result[op] == Place::Outside; ++i)
      if (ir::contains(patterns[i].nodes.front().operators, domain, type))
        result[op] = i == 0 && patterns.size() > 1 ? Place::Once : Place::Inside;
  }
  for (const ir::Kernel& kernel : grouping_.kernels) {
    const auto outside = std::ranges::count_if(kernel.ops, [&](OpId op) {
      return result[op] == Place::Outside && !free_[op] && !operators_.isKnownBeforeRun(op);
    });
    if (outside == 1 || (outside > 1 && namedBy(kernel, list) != 0))
      for (const OpId op : kernel.ops) result[op] = Place::Outside;
  }
  return result;
}

std::vector<OpId> GeneratedCode::leftToLibrary(RuleId rule, std::string_view text) {
  const Names needed = read(text).needed;
  const auto& allowed = places(rule, text);
  Names found = 0;
  std::vector<OpId> anchors;
  for (const CandidateId id : byChoice_) {
    const ir::Candidate& candidate = module_.candidates[id];
    const Names named = meaning(candidate.rule, text).named & needed;
    if (named == 0) continue;
    if (allowed[candidate.anchor] != Place::Outside) return {};
    found |= named;
    anchors.push_back(candidate.anchor);
  }
  if (found != needed) anchors.clear();
  return anchors;
}

bool GeneratedCode::mayHold(const IdVector<OpId, Place>& places, CandidateId id) const {
  const auto& ops = module_.candidates[id].ops;
  return std::ranges::all_of(ops, [&](OpId op) { return places[op] != Place::Outside || free_[op]; }) &&
         !std::ranges::all_of(ops, [&](OpId op) { return free_[op] || operators_.isKnownBeforeRun(op); });
}

/// The listed operators that the group reads from, and those of a library for which it makes an operand.
GeneratedCode::Names GeneratedCode::elsewhere(RuleId rule, const std::vector<OpId>& ops, std::string_view text) {
  const auto& allowed = places(rule, text);
  Names names = 0;
  std::set<OpId> seen;
  std::vector<OpId> pending;
  const auto visit = [&](OpId user) {
    for (const OpId op : operators_.predecessors(user))
      if (!holds(ops, op) && !operators_.isKnownBeforeRun(op) && seen.size() < kMostElsewhere && seen.insert(op).second)
        pending.push_back(op);
  };
  for (const OpId op : ops)
    if (allowed[op] != Place::Once) visit(op);
  while (!pending.empty()) {
    const OpId op = pending.back();
    pending.pop_back();
    Names own = 0;
    for (const CandidateId id : holding_[op]) {
      if (allowed[op] == Place::Outside) {
        own |= meaning(module_.candidates[id].rule, text).named;
      } else {
        const Meaning found = meaning(id, text);
        own |= found.one | found.all;
      }
    }
    if (allowed[op] != Place::Once) names |= own;
    if (free_[op] || (allowed[op] == Place::Inside && own != 0)) visit(op);
  }
  for (const ir::KernelId kernel : libraryReaders(rule, ops, text)) names |= namedBy(grouping_.kernels[kernel], text);
  return names;
}

/// The listed operators that the rule of the kernel names.
GeneratedCode::Names GeneratedCode::namedBy(const ir::Kernel& kernel, std::string_view list) {
  return kernel.candidate ? meaning(module_.candidates[*kernel.candidate].rule, list).named : 0;
}

/// The kernels of a library that read what the group returns, through views.
std::set<ir::KernelId> GeneratedCode::libraryReaders(RuleId rule, const std::vector<OpId>& ops, std::string_view text) {
  const auto& allowed = places(rule, text);
  std::set<ir::KernelId> readers;
  std::set<OpId> seen;
  std::vector<OpId> pending = ops;
  while (!pending.empty() && seen.size() < kMostElsewhere) {
    const OpId at = pending.back();
    pending.pop_back();
    for (const OpId user : operators_.successors(at)) {
      if (holds(ops, user) || !seen.insert(user).second) continue;
      if (allowed[user] == Place::Outside && !kernelOf_[user].isNone() && !free_[user])
        readers.insert(kernelOf_[user]);
      else if (free_[user])
        pending.push_back(user);
    }
  }
  return readers;
}

std::optional<size_t> GeneratedCode::namesElsewhere(RuleId rule, const std::vector<OpId>& ops, std::string_view text) {
  const List& list = read(text);
  if (list.needed == 0) return std::nullopt;
  const auto& allowed = places(rule, text);
  int once = 0;
  std::vector<CandidateId> within;
  for (const OpId op : ops) {
    if (free_[op]) continue;
    if (allowed[op] == Place::Outside) return std::nullopt;
    once += allowed[op] == Place::Once;
    for (const CandidateId id : holding_[op]) {
      const auto& held = module_.candidates[id].ops;
      if (std::ranges::includes(ops, held) && mayHold(allowed, id)) within.push_back(id);
    }
  }
  if (once != (module_.rules.rules[rule].patterns.size() > 1 ? 1 : 0)) return std::nullopt;
  std::ranges::sort(within, [&](CandidateId a, CandidateId b) { return rank_[a] < rank_[b]; });
  within.erase(std::unique(within.begin(), within.end()), within.end());
  std::set<OpId> taken;
  std::vector<Names> namesOfPart;
  Names missing = list.needed;
  for (const CandidateId id : within) {
    const auto& held = module_.candidates[id].ops;
    const Meaning found = meaning(id, text);
    if ((found.one | found.all) == 0 || std::ranges::any_of(held, [&](OpId op) { return taken.contains(op); }))
      continue;
    taken.insert(held.begin(), held.end());
    if (found.one != 0)
      namesOfPart.push_back(found.one);
    else
      missing &= ~found.all;
  }
  if (!std::ranges::all_of(ops, [&](OpId op) { return free_[op] || taken.contains(op); })) return std::nullopt;
  Matching matching(namesOfPart);
  std::optional<Names> read;
  size_t count = 0;
  for (int name = 0; name < static_cast<int>(list.calls.size()); ++name) {
    if (!(missing >> name & 1) || matching.place(name)) continue;
    if (!read) read = elsewhere(rule, ops, text);
    if (!(*read >> name & 1)) return std::nullopt;
    ++count;
  }
  return count;
}

}  // namespace amdahlc::binding
