#include "passes/host/sample_statistics.h"

#include <algorithm>

#include "support/statistics.h"

namespace amdahlc {

int64_t saturatedSum(std::span<const int64_t> samplesNs) {
  __extension__ typedef __int128 Int128;
  Int128 sum = 0;
  for (const int64_t ns : samplesNs) sum += ns;
  return static_cast<int64_t>(std::clamp<Int128>(sum, INT64_MIN, INT64_MAX));
}

ir::SampleStatistics sampleStatistics(std::span<const int64_t> samplesNs) {
  ir::SampleStatistics out;
  out.count = static_cast<int64_t>(samplesNs.size());
  out.meanNs = roundedMean(samplesNs);
  out.medianNs = median(samplesNs);
  out.standardDeviationNs = standardDeviation(samplesNs);
  out.totalNs = saturatedSum(samplesNs);
  return out;
}

}  // namespace amdahlc
