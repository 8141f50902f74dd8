/// The report section of the pass `goal`.
#pragma once

#include "passes/manager/report_section.h"

namespace amdahlc {

ReportSection goalSection();

}  // namespace amdahlc
