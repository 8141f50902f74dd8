/// The device work of each stream: by family of kernels, by top-level operator, below it by launching operator and by
/// kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "passes/host/host_analysis.h"
#include "passes/host/host_relations.h"
#include "replay/timeline/totals.h"

namespace amdahlc {

/// The number that a device or a stream has for a name; nullopt for other names. A name that only looks like a number,
/// such as `007`, is none.
std::optional<int64_t> numberOf(const std::string& name);

/// Events of one stream, in order of start.
struct StreamEvents {
  uint32_t track = 0;
  std::vector<EventIndex> events;
};

/// The streams with these events, by device and stream: numbers in their order, before other names.
std::vector<StreamEvents> eventsByStream(const Timeline& timeline, const std::vector<EventIndex>& events);

/// Without the queue. Work in a data-loading span belongs to the name of the span, whatever operators are in it. O(n
/// log n).
std::vector<StreamWork> streamBreakdown(const Timeline& timeline, const OperatorNesting& nesting,
                                        const std::vector<StreamEvents>& streams);

/// At position n the time in which exactly n streams are active, over the reported iterations, whose extents are those
/// of `iterationExtents`: the sum is wall. O(n log n). Precondition: the events have starts.
std::vector<int64_t> streamConcurrency(const Timeline& timeline, const std::vector<StreamEvents>& streams,
                                       const std::vector<TimeInterval>& extents);

/// Adds the queue of a stream, which has the events whose launching call has ended and that have not started, and the
/// launch latency, over the iterations of these events. An event that starts before its call
/// has returned is never in the queue, and its latency is negative. The mean length is over the extents of the
/// iterations. O(n log n). Precondition: the events have starts.
void addLaunchQueue(const Timeline& timeline, const StreamEvents& stream, const std::vector<TimeInterval>& extents,
                    StreamWork& work);

}  // namespace amdahlc
