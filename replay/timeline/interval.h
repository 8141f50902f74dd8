/// Interval algebra over nanoseconds: unions, and sweeps over the segments in which the set of active intervals is
/// constant.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace amdahlc {

/// Half open.
struct TimeInterval {
  int64_t startNs = 0;
  int64_t endNs = 0;
  int64_t lengthNs() const { return endNs - startNs; }
  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// Makes `extent` the shortest interval with all that was added to it; nullopt before anything was.
inline void extend(std::optional<TimeInterval>& extent, const TimeInterval& interval) {
  if (!extent) extent = interval;
  extent->startNs = std::min(extent->startNs, interval.startNs);
  extent->endNs = std::max(extent->endNs, interval.endNs);
}

/// Length of the union; empty and negative intervals are ignored. O(n log n).
int64_t unionLength(std::vector<TimeInterval> intervals);

/// The union of the intervals: disjoint, not adjacent, in order of time; empty and negative intervals are ignored.
/// O(n log n).
std::vector<TimeInterval> unionOf(std::vector<TimeInterval> intervals);

/// Adds an interval to a union whose intervals start no later than it. An empty one stays, unless it touches another.
/// Precondition: it is not negative.
void addToUnion(std::vector<TimeInterval>& united, const TimeInterval& interval);

/// Callbacks of a sweep over intervals, in order of time. Empty and negative intervals are ignored.
struct SweepVisitor {
  std::function<void(uint32_t interval, int64_t timeNs)> begins;
  std::function<void(uint32_t interval, int64_t timeNs)> ends;
  /// A segment in which the set of active intervals is constant and not empty. Called between the begins and ends
  /// around it.
  std::function<void(int64_t lengthNs)> segment;
};

/// Visits beginnings, ends and the segments between them. O(n log n) for any overlap, because visitors keep counts, not
/// sets.
void sweep(std::span<const TimeInterval> intervals, const SweepVisitor& visitor);

}  // namespace amdahlc
