#include "passes/trace_bind/families.h"

#include <algorithm>

namespace amdahlc::binding {

Families::Families(const AlternativeGraph& graph, const RuntimeAdapter& runtime, OrderKind order,
                   const std::vector<bool>* allowed) {
  const auto& opRank = graph.rank(order);
  const auto& alternatives = graph.alternatives();
  ranks_.resize(alternatives.size());
  const auto family = [&](auto& index, const auto& key) {
    const auto [entry, isNew] = index.try_emplace(key, static_cast<uint32_t>(members_.size()));
    if (isNew) members_.emplace_back();
    return entry->second;
  };
  for (AlternativeId id = 0; id < alternatives.size(); ++id) {
    const Alternative& alternative = alternatives[id];
    // A kernel starts when the last of its operators can start. Views have no time of their own.
    uint32_t last = 0;
    for (const ir::OpId op : alternative.ops)
      if (!graph.isFree(op) || alternative.ops.size() == 1) last = std::max(last, opRank[op]);
    ranks_[id] = last != 0 ? last : opRank[alternative.anchor];
    if (allowed && !(*allowed)[id]) continue;
    if (alternative.rule != kNoRule) members_[family(byRule_, alternative.rule)].push_back(id);
    if (alternative.targets.size() == 1)
      members_[family(byTarget_, runtime.comparableName(alternative.targets[0]))].push_back(id);
    if (alternative.typeNames.size() == 1) members_[family(byType_, alternative.typeNames[0])].push_back(id);
    for (const ir::ScopeId scope : alternative.scopes)
      if (scope != ir::kRootScope) members_[family(byScope_, scope)].push_back(id);
  }
  for (auto& list : members_)
    std::stable_sort(list.begin(), list.end(), [&](AlternativeId a, AlternativeId b) { return ranks_[a] < ranks_[b]; });
  constexpr size_t kLong = 48;
  for (const auto& list : members_)
    cursor_.push_back(list.size() > kLong ? static_cast<uint32_t>(cursorCount_++) : kNoCursor);
}

const std::vector<uint32_t>& Families::of(Scorer& scorer, const Launches& all, const Launch& launch, size_t position) {
  const auto [entry, isNew] = bySignature_.try_emplace(launch.signature);
  if (!isNew) return entry->second;
  std::vector<uint32_t>& families = entry->second;
  for (const ir::RuleId rule : scorer.possibleRules(position))
    if (const auto found = byRule_.find(rule); found != byRule_.end()) families.push_back(found->second);
  for (const Symbol op : all.signature(launch).operators) {
    const std::string name = all.runtime().comparableName(all.timeline().text(op));
    if (const auto found = byTarget_.find(name); found != byTarget_.end()) families.push_back(found->second);
    for (const auto& [type, family] : byType_)
      if (readAlike(type, name)) families.push_back(family);
  }
  std::sort(families.begin(), families.end());
  families.erase(std::unique(families.begin(), families.end()), families.end());
  return families;
}

std::optional<uint32_t> Families::ofScope(ir::ScopeId scope) const {
  const auto found = byScope_.find(scope);
  return found == byScope_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace amdahlc::binding
