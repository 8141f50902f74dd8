/// What is said of a run's schedule: causes of idle time, the critical path of the run, and how well a replay of it
/// agrees.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "replay/schedule/replay.h"
#include "replay/schedule/run_model.h"
#include "replay/schedule/time_pieces.h"
#include "support/string_pool.h"

namespace amdahlc::schedule {

/// Why a run has no schedule; nullopt if it has one.
std::optional<Absence> absenceOfSchedule(const Timeline& timeline);

/// The calls of one name that waited for the device, on all threads.
struct HostWaits {
  Symbol name;
  int64_t calls = 0;
  /// From their beginnings until what they waited for had ended. What a call waits for that finds the queue of
  /// launches full is the start of an event.
  int64_t ns = 0;
  /// The first of those that waited longest.
  HostEventId longest;
  int64_t longestNs = -1;
  friend bool operator==(const HostWaits&, const HostWaits&) = default;
};

/// Times are sums over the reported iterations, in nanoseconds.
struct RunSchedule {
  /// Sums to idle time.
  std::vector<TimePiece> idle;
  /// Sums to wall time.
  std::vector<TimePiece> wallPath;
  /// Sums to the windows; empty without them. The parts of it before the first event of each iteration and after the
  /// last one.
  std::vector<TimePiece> windowPath, windowPathBefore, windowPathAfter;

  /// The longest first.
  std::vector<HostWaits> hostWaits;

  int64_t wallNs = 0;
  /// nullopt if an iteration has no annotation, or one on a thread that makes no calls.
  std::optional<int64_t> windowNs;
  struct Times {
    int64_t wallNs = 0;
    std::optional<int64_t> windowNs;
    friend bool operator==(const Times&, const Times&) = default;
  };
  /// Of the unchanged run, without unexplained waits, and with them.
  Times strict, kept;
  /// Of the second one, of a replay in which no device work takes any time, and of one in which the host takes none.
  ReplayedTimes unchanged, withoutDevice, withoutHost;
  /// The sum of the unexplained waits of reported events.
  int64_t unexplainedNs = 0;
  /// Of the path of wall time, and of windows, the waits for what was launched before the recording.
  int64_t beforeRecordingNs = 0, windowBeforeRecordingNs = 0;
  /// Time in calls that look like waits and are not modelled as such: they are long, and end shortly after a device
  /// event does.
  int64_t auditNs = 0;
  /// Events whose measured start is taken over, and events whose launch is not in the trace.
  int64_t carriedIn = 0, withoutLaunch = 0;
  /// Calls that wait for what ended long after them.
  int64_t contradictions = 0;
  std::optional<uint32_t> queueLength;
  std::vector<Constant> constants;

  /// How far the replay of the unchanged run is off.
  int64_t strictErrorNs() const;
  /// Whether waits that nothing explains, or the error of the replay, are more than 5 % of wall. Predictions are
  /// guesses then.
  bool isUnexplained() const;
  bool isInexact() const;
  /// Whether at least half of wall are waits for what was launched before the recording: no change shortens them, and
  /// where one no longer waits, what it waited for is still to be done.
  bool isMostlyBefore() const;
  friend bool operator==(const RunSchedule&, const RunSchedule&) = default;
};

/// Precondition: the timeline has a schedule.
RunSchedule runSchedule(const RunModel& model);

}  // namespace amdahlc::schedule
