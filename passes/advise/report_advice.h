/// The report section of `advise`: `advice` of a run, and what to do first in the summary.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection adviceSection();

}  // namespace amdahlc
