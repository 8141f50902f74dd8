/// Figures of the liveness of tensors, as SVG.
#pragma once

#include <string>

#include "passes/liveness/listings.h"

namespace amdahlc {

/// Live bytes over the time of an iteration, and what the framework's allocator recorded, if the trace has that.
std::string memoryFigure(const ListingInput& input);

/// Inactive periods: their lengths against the sizes of the tensors, and how many are at most so long. `bytesPerS` is
/// how fast tensors are moved away.
std::string periodFigure(const ListingInput& input, int64_t bytesPerS);

}  // namespace amdahlc
