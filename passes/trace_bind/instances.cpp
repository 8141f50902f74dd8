#include "passes/trace_bind/instances.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <vector>

namespace amdahlc::binding {

void Instances::vote(Symbol instance, ir::ScopeId scope, int64_t weight) {
  votes_[instance.index][scope] += weight;
  ofInstance_[instance.index] += weight;
  ofScope_[scope] += weight;
}

void Instances::judge(Symbol instance, ir::ScopeId scope, Judgement& judgement) const {
  using evidence::Row;
  const auto votes = votes_.find(instance.index);
  if (votes == votes_.end()) return;
  const auto found = votes->second.find(scope);
  if (found == votes->second.end()) return judgement.take(Row::OtherInstance);
  // Both shares count: of the instance's votes that name the scope, and of the scope's votes that the instance gives.
  const auto weight = static_cast<double>(found->second);
  constexpr double kPrior = 100;
  const double share = weight / (static_cast<double>(ofInstance_.at(instance.index)) + kPrior);
  const double back = weight / (static_cast<double>(ofScope_.at(scope)) + kPrior);
  const double both = std::sqrt(share * back);
  judgement.take(Row::SameInstance, both);
  judgement.take(Row::OtherInstance, 1 - both);
}

std::optional<ir::ScopeId> Instances::scopeOf(Symbol instance) const {
  if (const auto inferred = inferred_.find(instance.index); inferred != inferred_.end()) return inferred->second;
  const auto votes = votes_.find(instance.index);
  if (votes == votes_.end()) return std::nullopt;
  std::optional<ir::ScopeId> best;
  int64_t most = 0;
  for (const auto& [scope, weight] : votes->second) {
    if (weight <= most) continue;
    best = scope;
    most = weight;
  }
  return best;
}

void Instances::inferAround(const Launches& launches, std::optional<Symbol> root, const ir::ScopeTree& scopes) {
  // Instance -> instances directly inside; depth from the outermost frame.
  std::map<uint32_t, std::set<uint32_t>> inside;
  std::map<uint32_t, size_t> depths;
  for (const Call& call : launches.calls()) {
    std::vector<uint32_t> chain;
    for (const HostEventId frame : launches.framesAround(call)) chain.push_back(launches.host().name[frame].index);
    for (size_t k = 0; k < chain.size(); ++k) {
      size_t& depth = depths[chain[k]];
      depth = std::max(depth, chain.size() - k);
      if (k > 0) inside[chain[k]].insert(chain[k - 1]);
    }
  }
  const auto commonScope = [&](ir::ScopeId a, ir::ScopeId b) {
    while (!scopes.isWithin(b, a)) a = scopes[a].parent;
    return a;
  };
  std::vector<std::pair<size_t, uint32_t>> order;  // inner ones first
  for (const auto& [instance, depth] : depths) order.emplace_back(depth, instance);
  std::sort(order.rbegin(), order.rend());
  for (const auto& [depth, instance] : order) {
    if (root && instance == root->index) {
      inferred_[instance] = ir::kRootScope;
      continue;
    }
    std::optional<ir::ScopeId> around;
    if (const auto votes = votes_.find(instance); votes != votes_.end()) {
      const auto weight = [](const auto& vote) { return vote.second; };
      if (2 * std::ranges::max(votes->second | std::views::transform(weight)) > ofInstance_.at(instance)) continue;
      for (const auto& [scope, unused] : votes->second) around = around ? commonScope(*around, scope) : scope;
      inferred_[instance] = *around;
      continue;
    }
    for (const uint32_t child : inside[instance]) {
      const auto scope = scopeOf(Symbol{child});
      if (!scope) continue;
      const ir::ScopeId outer = *scope == ir::kRootScope ? *scope : scopes[*scope].parent;
      around = around ? commonScope(*around, outer) : outer;
    }
    if (around) inferred_[instance] = *around;
  }
}

std::optional<ir::ScopeId> Instances::scopeAround(const Launches& launches, HostEventId frame) const {
  const HostFacts& host = launches.host();
  for (HostEventId at = frame; !at.isNone(); at = host.parent[at]) {
    if (host.kind[at] != EventKind::ModuleFrame) continue;
    if (const auto scope = scopeOf(host.name[at])) return scope;
  }
  return std::nullopt;
}

}  // namespace amdahlc::binding
