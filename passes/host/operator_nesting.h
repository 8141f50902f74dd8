/// Which operators of a run are at the top of their thread, and what runs while input is fetched.
#pragma once

#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// Of each host event of a run. Annotations, frames and module frames are no operators. O(events).
struct OperatorNesting {
  /// The operator around the event, or the event itself, that is inside no other operator; none outside of operators.
  IdVector<HostEventId, HostEventId> top;
  /// The outermost data-loading span of the thread in which the event begins, or the event itself; none outside.
  IdVector<HostEventId, HostEventId> dataLoading;

  bool isTop(HostEventId event) const { return top[event] == event; }
};

/// Precondition: the timeline has host events.
OperatorNesting operatorNesting(const Timeline& timeline);

}  // namespace amdahlc
