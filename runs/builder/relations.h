/// The relations between events of one table. Each function reads the sorted columns and fills the relation it names.
#pragma once

#include "replay/runtimes/runtime.h"
#include "runs/builder/event_table.h"

namespace amdahlc {

/// The unit in which the clock of the recorder seems to count: a microsecond if all times are multiples of it.
int64_t clockResolutionNs(const EventTable& table);

/// `parent` of host events: the innermost operator, frame or runtime call of the same thread that encloses the event in
/// time. An annotation has a parent but is never a parent: profiler steps begin inside one Python frame and end inside
/// another.
///
/// Recorded intervals are not always nested. An event belongs to the innermost event that is open at its start and ends
/// no earlier than itself, within the resolution of the trace's clock; those that cross an open event are counted as a
/// problem. An event without a length encloses nothing.
void nestHostEvents(EventTable& table);

/// `launch` and `launchOp` of device events, by correlation: a runtime call may launch many kernels (a CUDA graph). If
/// a correlation occurs several times, the launch is the last call that began before the device event. Without runtime
/// calls that have a correlation, operators are the calls.
void joinLaunches(EventTable& table);

/// Device work of a trace without a device: the self time of its operators.
///
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

/// Counts odd device events: without a duration, overlapping on one stream, without a launch. In a trace without a
/// device: operators without a duration, and launches without device events.
void countDeviceProblems(EventTable& table);

}  // namespace amdahlc
