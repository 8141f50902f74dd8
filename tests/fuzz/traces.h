/// Reading traces: what the fuzz targets of trace formats share.
#pragma once

#include <optional>
#include <string_view>

#include "fuzz.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::fuzz {

/// Reads a trace with a selection that depends on its bytes, prints its totals, and writes its excerpt where it has
/// one, which must be readable.
void readAndReport(std::string_view bytes, Run& run);

/// One of a few selections, by the content.
TraceSelection selectionFor(std::string_view bytes);

/// Prints the totals and the excerpt of a timeline.
void reportTimeline(const Timeline& timeline, Run& run);

}  // namespace amdahlc::fuzz
