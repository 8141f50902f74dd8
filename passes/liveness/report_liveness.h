/// The report section of `liveness`: `liveness` of a run, and lines of the summary.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection livenessSection();

}  // namespace amdahlc
