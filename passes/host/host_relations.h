/// Where host events of a run belong: which operators are at the top of their thread, what runs while input is fetched,
/// and in which iteration an event is.
#pragma once

#include <cstdint>
#include <vector>

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

/// Where marks of the trace enclose iterations, or where each recording is one, events belong to them as the timeline
/// says. Iterations that were found by a repeated sequence of launches have no extent on the host: there an iteration
/// lasts from the start of the first operator that launches its work to that of the next iteration, the last one of a
/// recording to the end of its launches.
class HostIterations {
 public:
  HostIterations(const Timeline& timeline, const OperatorNesting& nesting);

  /// kNoIteration outside of all iterations.
  int32_t of(HostEventId event) const;
  /// Of a selected iteration.
  bool isSelected(HostEventId event) const;

 private:
  struct Begin {
    int64_t ns;
    int32_t iteration;
  };
  const Timeline& timeline_;
  /// Ascending; empty where the timeline knows the iterations.
  std::vector<Begin> begins_;
  /// By recording, the end of the launches of its iterations.
  std::vector<int64_t> endsNs_;
};

}  // namespace amdahlc
