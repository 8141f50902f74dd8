/// What each thread with calls did at each time: the innermost row of the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "replay/schedule/run_calls.h"

namespace amdahlc::schedule {

/// A stretch of a thread's time in which one row of the trace is the innermost one.
struct HostSegment {
  int64_t startNs, endNs;
  /// An operator, a call, a frame, or a span of data loading.
  HostEventId event;
  /// The span of data loading around it, or itself; none outside.
  HostEventId input;
};

class HostActivity {
 public:
  explicit HostActivity(const RunCalls& calls);

  /// Calls `visit` for each stretch of the thread's time from `fromNs` to `toNs`, in order; the event of one in which
  /// nothing was recorded is none.
  void forEach(ThreadIndex thread, int64_t fromNs, int64_t toNs,
               const std::function<void(const HostSegment&)>& visit) const;

 private:
  /// Disjoint, in order.
  std::vector<std::vector<HostSegment>> ofThread_;
};

}  // namespace amdahlc::schedule
