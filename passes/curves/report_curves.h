/// The report section of the pass `curves`.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection curvesSection();

}  // namespace amdahlc
