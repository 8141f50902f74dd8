/// The iteration that stands for a run where a picture or a list can show one only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "replay/timeline/timeline.h"

namespace amdahlc {

/// The index of the selected iteration with the median wall time; of an even number the shorter one of the two in the
/// middle, of equal ones the first. 0 if none is selected. The times are by iteration.
size_t representativeIteration(const Timeline& timeline, std::span<const int64_t> wallsNs);

}  // namespace amdahlc
