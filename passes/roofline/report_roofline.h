/// The report section of `roofline`: `roofline` of a run and of a kernel, and lines of the summary.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection rooflineSection();

}  // namespace amdahlc
