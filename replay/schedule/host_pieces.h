/// The host's part of idle time and of the run's critical path.
#pragma once

#include <functional>

#include "replay/schedule/time_pieces.h"

namespace amdahlc::schedule {

using PieceSink = std::function<void(const TimePiece&)>;

/// What a thread did from `fromNs` to `toNs`, in order, by the innermost row of the trace.
void addHostPieces(const RunCalls& calls, const HostActivity& activity, ThreadIndex thread, int64_t fromNs,
                   int64_t toNs, const PieceSink& add);

}  // namespace amdahlc::schedule
