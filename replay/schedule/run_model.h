/// A measured run as a model: what its calls do, what waits for what, and how long one thing takes to cause the next.
#pragma once

#include <vector>

#include "replay/schedule/constants.h"
#include "replay/schedule/hand_overs.h"
#include "replay/schedule/run_calls.h"
#include "replay/schedule/waits.h"
#include "replay/timeline/totals.h"

namespace amdahlc::schedule {

/// The cause of an event's start with the latest time at which it could have started by it.
struct Release {
  enum class Kind : uint8_t {
    /// There is no cause in the trace.
    None,
    /// The end of its launch.
    Launch,
    /// The start of its launch, inside of which it starts, as a blocking copy does.
    InsideLaunch,
    /// The end of the event before it in its stream.
    Stream,
    /// The end of an event of another stream.
    Source,
  };
  Kind kind = Kind::None;
  /// Of `Stream` and `Source`.
  EventIndex event = kNoEvent;
  /// When the cause happened; not after the start of the event.
  int64_t momentNs = 0;
  /// How much later the event started than its cause and the usual delay after it explain, if that is too much for
  /// chance; else 0.
  int64_t unexplainedNs = 0;
  /// The first event of its stream, whose cause is before the recording: its measured start is a fact from outside.
  bool isCarriedIn = false;
};

struct RunModel {
  /// `timeline` must outlive it, have start times, and have host events.
  explicit RunModel(const Timeline& timeline);
  RunModel(const RunModel&) = delete;
  RunModel& operator=(const RunModel&) = delete;

  RunCalls calls;
  Waits waits;
  HandOvers handOvers;
  Constants constants;
  /// By event: what it waited for last, and so why it started when it did.
  std::vector<Release> releases;
  /// By iteration, each in order of start.
  EventsByIteration eventsOfIterations;
  ReportedIterations reported;
  /// By iteration: the thread of its annotation; kNoTrack without an annotation, or if that thread makes no calls.
  std::vector<ThreadIndex> threadsOfIterations;
  /// By iteration with such a thread: the end of its annotation, or of a call that waited and by the recorder's clock
  /// ends up to 1 us later.
  std::vector<int64_t> endsOfIterations;
};

}  // namespace amdahlc::schedule
