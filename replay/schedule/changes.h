/// What of a measured run is faster, slower, or done in another way: the one form of changes that predictions take.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "replay/schedule/run_calls.h"
#include "replay/schedule/scaled_time.h"
#include "support/rational.h"

namespace amdahlc::schedule {

/// Factors are new time / old time. Vectors by event and by call are empty where nothing of the kind changes.
struct Changes {
  /// By event.
  std::vector<Rational> events;
  /// Time between calls, lengths of calls, lags of hand-overs, and the returns of waiting calls.
  Rational host{1, 1};
  /// Operators, functions, modules, annotations and runtime calls by name; of nested ones the outermost counts.
  std::map<std::string, Rational, std::less<>> named;
  /// Other stretches of the host's time with factors of their own.
  std::vector<HostStretch> stretches;
  /// Lengths of the calls that launch, besides the factor of the host.
  Rational launches{1, 1};

  /// By event: work that does not run. What waited for it waits for what came before it.
  std::vector<bool> removed;
  /// By call: calls that are not made. They take no time, wait for nothing, and take no place in a queue. What such a
  /// call launched is launched nevertheless, at this moment: by a graph, unless it is removed.
  std::vector<bool> unmade;
  /// Calls that launch and take so long, before the factors of the host.
  std::map<CallIndex, int64_t> lengthsNs;
  /// By event: the stream in which it runs. Numbers from `RunCalls::streams()` on are streams that the run does not
  /// have.
  std::vector<StreamIndex> streams;
  /// Events for whose ends an event waits besides; they were launched before it.
  std::map<EventIndex, std::vector<EventIndex>> sources;
  /// What each of these waits costs the thread that launches the event: a call that records, and one that waits.
  int64_t waitCallsNs = 0;
  /// By event: copies for which their calls do not wait. Such a call ends when its copy may start.
  std::vector<bool> unawaited;

  /// Whether what a change of the program adds may delay other work: waits, calls, work in another stream.
  bool mayDelay = false;

  bool isRemoved(EventIndex event) const { return !removed.empty() && removed[event]; }
  bool isUnmade(CallIndex call) const { return !unmade.empty() && unmade[call]; }
  bool isUnawaited(EventIndex event) const { return !unawaited.empty() && unawaited[event]; }
};

}  // namespace amdahlc::schedule
