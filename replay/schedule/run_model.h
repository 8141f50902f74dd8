/// A measured run as a model: what its calls do, what waits for what, and how long one thing takes to cause the next.
#pragma once

#include <vector>

#include "replay/schedule/constants.h"
#include "replay/schedule/hand_overs.h"
#include "replay/schedule/releases.h"
#include "replay/schedule/run_calls.h"
#include "replay/schedule/waits.h"

namespace amdahlc::schedule {

struct RunModel {
  /// `timeline` must outlive it, have start times, and have host events.
  explicit RunModel(const Timeline& timeline);
  RunModel(const RunModel&) = delete;
  RunModel& operator=(const RunModel&) = delete;

  RunCalls calls;
  Waits waits;
  HandOvers handOvers;
  Constants constants;
  /// By event.
  std::vector<Release> releases;
  /// By iteration, each in order of start.
  std::vector<std::vector<EventIndex>> eventsOfIterations;
  /// By iteration: the thread of its annotation; kNoTrack without an annotation, or if that thread makes no calls.
  std::vector<ThreadIndex> threadsOfIterations;
};

}  // namespace amdahlc::schedule
