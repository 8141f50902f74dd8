/// How many streams are active at once.
#pragma once

#include <cstdint>
#include <vector>

#include "passes/host/stream_breakdown.h"
#include "replay/timeline/timeline.h"

namespace amdahlc {

/// At position n the time in which exactly n streams are active, over the selected iterations, whose extents are those
/// of `iterationExtents`: the sum is wall. O(n log n). Precondition: the events have starts.
std::vector<int64_t> streamConcurrency(const Timeline& timeline, const std::vector<StreamEvents>& streams,
                                       const std::vector<TimeInterval>& extents);

}  // namespace amdahlc
