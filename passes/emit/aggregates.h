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
  std::vector<int64_t> perIterationNs;  ///< union of the group's events
  int64_t exclusiveNs = 0;              ///< total in which no other event was active: what busy time would lose
  int64_t events = 0;                   ///< total
};

/// Times of `groupCount` groups; `groupsOf(event, owner)` says which groups an event belongs to (any number).
std::vector<GroupTime> groupTimes(
    const Timeline& timeline, const ir::Cover& cover, size_t groupCount,
    const std::function<const std::vector<uint32_t>&(EventIndex, ir::KernelId)>& groupsOf);

/// Modules nest some ten deep; of a path beyond this only the outermost scopes and the path itself are told, since all would be quadratic.
inline constexpr size_t kMaxScopeDepth = 256;

/// `a.b.c` -> `a.b.c`, `a.b`, `a`; empty for the empty scope.
std::vector<std::string> enclosingScopes(const std::string& scope);

}  // namespace amdahlc
