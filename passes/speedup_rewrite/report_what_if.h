/// The report section of `speedup-rewrite`: `what_if` of a run, and a line of the summary for each scenario.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection whatIfSection();

}  // namespace amdahlc
