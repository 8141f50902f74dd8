/// What is known of the events of a run, for tracks beside those of its trace.
#pragma once

#include <span>

#include "report/report.h"
#include "runs/trace/annotations.h"

namespace amdahlc {

/// Of a run that is bound. What was not established is left out.
TraceAnnotations traceAnnotations(const ir::Module& module, const RunReport& run);

}  // namespace amdahlc
