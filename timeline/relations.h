/// The relations between events of one timeline. Each function reads the sorted columns and fills the relation it names.
#pragma once

#include <vector>

#include "timeline/timeline.h"

namespace amdahlc {

/// `parent` of host events: the innermost operator, frame or runtime call of the same thread that encloses the event in time.
/// Annotations get a parent and are never one: profiler steps begin inside one Python frame and end inside another.
///
/// Recorded intervals are not always nested. An event belongs to the innermost event that is open at its start and ends no
/// earlier than itself, within the resolution of the trace's clock; those that cross an open event are counted as a problem.
/// An event without a length encloses nothing.
void nestHostEvents(Timeline& timeline);

/// For each event the innermost operator around its parent chain, itself excluded; kNoEvent where there is none.
std::vector<EventIndex> enclosingOperators(const Timeline& timeline);

/// `launch` and `launchOp` of device events, by correlation: a runtime call may launch many kernels (a CUDA graph). Where a correlation
/// was used again, the last call that began before the device event is its launch.
void joinLaunches(Timeline& timeline);

/// Counts odd device events: without a duration, overlapping on one stream, without a launch.
void countDeviceProblems(Timeline& timeline);

/// Adds to the count of a named problem of the timeline; a count of 0 adds nothing.
void addProblem(Timeline& timeline, std::string_view name, int64_t count, std::string_view what);

}  // namespace amdahlc
