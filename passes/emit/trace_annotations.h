/// What is known of the events of a run, for tracks beside those of its trace.
#pragma once

#include <span>

#include "passes/emit/report.h"
#include "timeline/annotations.h"

namespace amdahlc {

/// Of a run that is bound. What was not established is left out.
TraceAnnotations traceAnnotations(const ir::Module& module, const RunReport& run,
                                  std::span<const ReportSection> sections);

}  // namespace amdahlc
