/// Statistics of samples that may be negative and may add up to more than 64 bits.
#pragma once

#include <cstdint>
#include <span>

#include "passes/host/host_analysis.h"

namespace amdahlc {

/// All zero for no samples.
SampleStatistics sampleStatistics(std::span<const int64_t> samplesNs);

/// The sum; beyond 64 bits the nearest number that fits.
int64_t saturatedSum(std::span<const int64_t> samplesNs);

}  // namespace amdahlc
