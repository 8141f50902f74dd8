/// The report section of `critical-path`: `branches` and `critical_path` of a run, `critical` and `slack_ns` of its
/// kernels, a line of the summary.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection criticalPathSection();

}  // namespace amdahlc
