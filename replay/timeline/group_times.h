/// Times of groups of events: by kernel, rule, category, scope, operator type. Overlap inside a group counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc {

struct GroupTime {
  /// Union of the group's events, by selected iteration.
  std::vector<int64_t> perIterationNs;
  /// Busy time of the reported iterations without the group's events.
  int64_t busyWithoutNs = 0;
  /// In the reported iterations, and in all selected ones.
  int64_t events = 0, eventsTotal = 0;
};

struct GroupTimes {
  std::vector<GroupTime> groups;
  /// Busy time of the reported iterations.
  int64_t busyNs = 0;
};

/// Times of `groupCount` groups in the selected iterations. `groupsOf` returns the groups of an event, any number. In
/// busy times each event has its factor (new time / old time), as predictions by arithmetic have it: where events run
/// at once, the largest one counts. O(n log n) in the events, times the groups of an event, and times the events that
/// run at once where factors differ.
GroupTimes groupTimes(const Timeline& timeline, size_t groupCount,
                      const std::function<std::span<const uint32_t>(EventIndex)>& groupsOf,
                      std::span<const Rational> factors);

/// By event of the reported iterations the factor from its duration to the median of its partners: of the events at
/// the same place among those with its key, in each selected iteration that has so many. It is 1 without a partner, for
/// an event of no length, for all other events, and with `Average::Mean`. So a busy time under these factors is one
/// that no single event has disturbed.
std::vector<Rational> undisturbedFactors(const Timeline& timeline, std::span<const uint32_t> keys);

}  // namespace amdahlc
