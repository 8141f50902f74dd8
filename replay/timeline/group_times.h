/// Times of groups of events: by kernel, rule, category, scope, operator type. Overlap inside a group counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

struct GroupTime {
  /// Union of the group's events, by selected iteration.
  std::vector<int64_t> perIterationNs;
  /// Total time in which no other event was active, by which busy time would shrink.
  int64_t exclusiveNs = 0;
  /// Total number.
  int64_t events = 0;
};

/// Times of `groupCount` groups in the selected iterations. `groupsOf` returns the groups of an event, any number.
/// O(n log n) in the events, times the groups of an event.
std::vector<GroupTime> groupTimes(const Timeline& timeline, size_t groupCount,
                                  const std::function<std::span<const uint32_t>(EventIndex)>& groupsOf);

}  // namespace amdahlc
