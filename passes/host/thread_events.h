/// The recorded host events of each thread, for counting those in an interval.
#pragma once

#include <cstdint>
#include <vector>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// Counts operators, calls, annotations and frames: what a profiler writes down while the host runs.
class ThreadEvents {
 public:
  /// O(events).
  explicit ThreadEvents(const Timeline& timeline);

  /// How many events of the thread of both come between them in order of start, and begin at `fromNs` or later.
  /// O(log events).
  int64_t between(HostEventId after, int64_t fromNs, HostEventId before) const;
  /// How many events of the thread come after `after` and begin in [fromNs, toNs). O(log events).
  int64_t behind(HostEventId after, int64_t fromNs, int64_t toNs) const;

 private:
  static bool isRecorded(EventKind kind);
  /// The first position of a thread at which an event begins at `ns` or later.
  int64_t lowerBound(uint32_t track, int64_t ns) const;

  const Timeline& timeline_;
  /// By track, in order of start.
  std::vector<std::vector<int64_t>> startNs_;
  IdVector<HostEventId, uint32_t> position_;
};

}  // namespace amdahlc
