/// The totals of a timeline as text, which the command prints for a trace without a model.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "replay/timeline/totals.h"

namespace amdahlc {

/// What times of a run are of, as a clause; empty for one iteration. `rows` are those of tables, such as `kernels`.
std::string statisticText(const Timeline& timeline, std::string_view rows);

/// Header, times per iteration, kernels and streams by time, data problems. No line is longer than `width` (at least
/// 60) except where a name of the file, the device or an iteration is. `maxKernels` limits the kernel table; its last
/// line counts the others.
std::string formatTimelineReport(const Timeline& timeline, const TimelineTotals& totals, size_t width,
                                 size_t maxKernels);

}  // namespace amdahlc
