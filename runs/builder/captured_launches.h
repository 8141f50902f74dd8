/// Finds the calls that were captured into graphs.
#pragma once

#include <functional>
#include <vector>

#include "runs/builder/event_table.h"

namespace amdahlc {

/// Calls that launch work between begin and end of a capture and have no device events. A launch belongs to the capture
/// that its own thread began last, or else to the one that any thread did: the backward pass has a thread of its own.
/// Precondition: launches are joined. n log n in the events, if few captures run at a time.
std::vector<CapturedLaunch> capturedLaunches(const EventTable& table, const std::function<HostEventId(Row)>& hostIdOf);

}  // namespace amdahlc
