/// Runs that IR text holds, whose traces are given again.
#pragma once

#include "replay/timeline/timeline.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Adds host events to a run of IR text, which lacks them, from its trace. Facts about its device events stay valid.
/// Reports why the trace is not that of the run, and returns false. `regrouped`: nothing that IR text says of the run
/// is kept.
bool giveHostEvents(Timeline& held, Timeline read, bool regrouped, SourceRange range, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
