/// The queue of a stream: events whose launching call has ended and that have not started.
#pragma once

#include <cstdint>
#include <optional>

#include "passes/host/host_analysis.h"
#include "passes/host/stream_breakdown.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// The end of the call that launched a device event; nullopt if the trace has none. Precondition: it has host events.
std::optional<int64_t> launchedAtNs(const Timeline& timeline, EventIndex event);

/// Adds the queue and the launch latency of a stream over the selected iterations. An event that starts before its call
/// has returned is never in the queue, and its latency is negative. The mean length is over the extents of the
/// iterations. O(n log n). Precondition: the events have starts.
void addLaunchQueue(const Timeline& timeline, const StreamEvents& stream, const std::vector<TimeInterval>& extents,
                    StreamWork& work);

}  // namespace amdahlc
