/// The device work of a trace without a device: the self time of its operators.
#pragma once

#include "runs/builder/event_table.h"

namespace amdahlc {

/// Fills `work` with one event per maximal stretch of time in which an operator is the innermost one running on its
/// thread. Every operator becomes its own `launch` and `launchOp`.
///
/// Of the operators that run at a time, the innermost is the one that began last; of those that began together, the
/// last row. So also where recorded intervals cross, the stretches of one thread are disjoint, and their union is that
/// of the operators. Frames, annotations and calls of the device's runtime cut nothing. An operator without a duration
/// never runs: it has no stretch and cuts none.
///
/// Cost: each operator is opened and closed once; sorting the stretches takes n log n.
void addSelfTimes(EventTable& table);

}  // namespace amdahlc
