/// Times of groups of events: by rule, category, scope, operator type. Overlap inside a group counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/timing/timing_analysis.h"

namespace amdahlc {

struct GroupTime {
  /// Union of the group's events.
  std::vector<int64_t> perIterationNs;
  /// Total in which no other event was active: what busy time would lose.
  int64_t exclusiveNs = 0;
  /// Total.
  int64_t events = 0;
};

/// Times of `groupCount` groups; `groupsOf(event, owner)` says which groups an event belongs to (any number).
std::vector<GroupTime> groupTimes(
    const Timeline& timeline, const ir::Cover& cover, size_t groupCount,
    const std::function<const std::vector<uint32_t>&(EventIndex, ir::KernelId)>& groupsOf);

/// Modules nest some ten deep; of a deeper path only the top-level scopes and the path itself are reported, because all of them would be quadratic.
inline constexpr size_t kMaxScopeDepth = 256;

/// `a.b.c` -> `a.b.c`, `a.b`, `a`; empty for the empty scope.
std::vector<std::string> enclosingScopes(const std::string& scope);

}  // namespace amdahlc
