/// Replays a measured run under changes: which thread calls what, which event waits for what, stays where no change
/// says otherwise; when it happens is computed anew.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/schedule/changes.h"
#include "replay/schedule/run_model.h"
#include "replay/timeline/interval.h"

namespace amdahlc::schedule {

struct ReplayOptions {
  /// Events whose start is not understood start late by as much as in the measured run.
  bool keepsUnexplainedWaits = true;
};

/// The times of an iteration.
struct ReplayedIteration {
  /// From the start of its first event that runs to the end of its last; empty without events.
  TimeInterval extent;
  /// Of its annotation; nullopt without one, or if the thread of it makes no calls.
  std::optional<int64_t> windowNs;
};

/// A moment of a thread in the measured and in the replayed run.
struct ThreadMoment {
  int64_t measuredNs, replayedNs;
};

struct ReplayedRun {
  /// By event. Of an event that is removed: when what waited for it need not wait any longer.
  std::vector<int64_t> startNs, endNs;
  /// By thread, in order: the beginnings and ends of calls, and hand-overs. Between them the thread's time is the
  /// measured one, times its factor.
  std::vector<std::vector<ThreadMoment>> threads;
  /// In the order of `Timeline::iterations`.
  std::vector<ReplayedIteration> iterations;
  /// Of all events.
  int64_t wallNs = 0;

  TimeInterval interval(EventIndex event) const { return {startNs[event], endNs[event]}; }
};

/// The times of a replay over the reported iterations.
struct ReplayedTimes {
  /// In which their events run.
  int64_t busyNs = 0;
  /// In which at least one of them has begun on the device and has not ended. Where iterations follow one another it is
  /// the sum of their wall times. A change may let them overlap, and then it is not counted twice.
  int64_t extentNs = 0;
  /// The sum of their windows; nullopt if one of them has none.
  std::optional<int64_t> windowNs;
  friend bool operator==(const ReplayedTimes&, const ReplayedTimes&) = default;
};
ReplayedTimes replayedTimes(const RunModel& model, const ReplayedRun& run);

/// One walk over the calls of all threads in measured order. A call begins where its thread is by then; an event starts
/// at the latest of what it waits for, each with its usual delay. Measured starts of events are used for events that
/// were launched before the recording only. Recordings are replayed one behind the other, each as if it were alone, but
/// for the usual times, which are those of all. Times are integers of nanoseconds, rounded where a factor is applied.
///
/// Precondition: there is a call. Cost: calls and events, times the logarithm of their number.
ReplayedRun replay(const RunModel& model, const Changes& changes = {}, const ReplayOptions& options = {});

}  // namespace amdahlc::schedule
