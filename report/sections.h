/// The sections of reports, one file each in `report/sections/`.
#pragma once

#include "report/section.h"

namespace amdahlc {

#define AMDAHLC_SECTION(NAME) extern const ReportSection NAME;
#include "report/sections.def"

}  // namespace amdahlc
