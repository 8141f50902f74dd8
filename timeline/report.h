/// A timeline's totals as text: what the command prints for a trace without a model.
#pragma once

#include <cstddef>
#include <string>

#include "timeline/totals.h"

namespace amdahlc {

/// Header, times per iteration, kernels and streams by time, data problems. No line is longer than `width` (at least
/// 60) except where a name of the file, the device or an iteration is. `maxKernels` bounds the kernel table; what is
/// left out is counted.
std::string formatTimelineReport(const Timeline& timeline, const TimelineTotals& totals, size_t width,
                                 size_t maxKernels);

}  // namespace amdahlc
