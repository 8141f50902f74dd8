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
  /// Total time in which no other event was active, by which busy time would shrink.
  int64_t exclusiveNs = 0;
  /// Total number.
  int64_t events = 0;
};

/// Times of `groupCount` groups. `groupsOf(event, owner)` returns the groups of an event (any number).
std::vector<GroupTime> groupTimes(
    const Timeline& timeline, const ir::Cover& cover, size_t groupCount,
    const std::function<const std::vector<uint32_t>&(EventIndex, ir::KernelId)>& groupsOf);

/// The scope and the scopes around it, innermost first, without the root: `a.b.c`, `a.b`, `a`.
std::vector<ir::ScopeId> enclosingScopes(const ir::ScopeTree& scopes, ir::ScopeId scope);

}  // namespace amdahlc
