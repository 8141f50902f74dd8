/// What an annotated copy of a run's trace says about its events.
#pragma once

#include <span>

#include "passes/emit/report.h"
#include "timeline/annotations.h"

namespace amdahlc {

/// Of a run that is bound. What was not established is left out.
TraceAnnotations traceAnnotations(const Report& report, ir::CoverId run, std::span<const ReportSection> sections);

}  // namespace amdahlc
