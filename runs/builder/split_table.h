/// The last step in the making of a timeline: from one table to the events of the run and those of the host.
#pragma once

#include "runs/builder/event_table.h"

namespace amdahlc {

/// Moves the events of the run and the rows of the host to their own columns of the timeline. Each column of the table
/// is freed as soon as it has been moved.
void splitTable(EventTable table, Timeline& timeline);

}  // namespace amdahlc
