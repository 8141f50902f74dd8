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
  /// Union of the group's events in the reported iterations, each event with its factor: what of busy time they take,
  /// whatever else runs at once.
  int64_t scaledNs = 0;
  /// In the reported iterations, and in all selected ones.
  int64_t events = 0, eventsTotal = 0;
};

struct GroupTimes {
  std::vector<GroupTime> groups;
  /// Busy time of the reported iterations.
  int64_t busyNs = 0;
};

/// The groups of an event, any number.
using GroupsOf = std::function<std::span<const uint32_t>(EventIndex)>;

/// By group and selected iteration, the union of the group's events. O(n) in the events, times the groups of an event.
std::vector<std::vector<int64_t>> unionTimes(const Timeline& timeline, size_t groupCount, const GroupsOf& groupsOf);

/// Times of `groupCount` groups in the selected iterations. In busy times each event has its factor (new time / old
/// time), as predictions by arithmetic have it: where events run at once, the largest one counts. O(n log n) in the
/// events, times the groups of an event, and times the events that run at once where factors differ.
GroupTimes groupTimes(const Timeline& timeline, const ReportedIterations& reported, size_t groupCount,
                      const GroupsOf& groupsOf, std::span<const Rational> factors);

/// By event that counts a number of its name and its place among those of this name in its iteration: partners of
/// different iterations have the same. 0 for the others.
std::vector<uint32_t> namesAndPlaces(const Timeline& timeline, const std::function<bool(EventIndex)>& counts);

/// By event of the reported iteration the factor from the device time of all events with its key to the median of this
/// time over the selected iterations that have such events. It is 1 for an event of no length, for all other events,
/// and with `Average::Mean`. So a busy time under these factors is one that no single event has disturbed.
///
/// The events of a kernel have one key, because time moves between them from iteration to iteration: the medians of its
/// events may sum to far less than the median of its time.
std::vector<Rational> undisturbedFactors(const Timeline& timeline, std::span<const uint32_t> keys);

}  // namespace amdahlc
