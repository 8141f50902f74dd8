/// The report section of `schedule`: `idle`, `run_path`, `window_path` and `replay` of a run, what limits it, and lines
/// of the summary.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection scheduleSection();

}  // namespace amdahlc
