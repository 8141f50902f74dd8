/// The facet `host` in reports.
#pragma once

#include <string_view>

#include "ir/facets/host.h"
#include "passes/manager/report_section.h"

namespace amdahlc {

/// `overheads`, `streams`, `concurrency` and `throughput`, and lines of the summary.
ReportSection hostSection();

/// Why nothing is known of the host side, as a clause for users.
std::string_view describe(ir::HostSilence silence);

}  // namespace amdahlc
