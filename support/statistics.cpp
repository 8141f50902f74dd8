#include "support/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace amdahlc {
namespace {

__extension__ typedef __int128 Int128;

int64_t divideWide(Int128 total, int64_t count) {
  assert(count > 0);
  Int128 quotient = total / count;
  Int128 rest = total % count;
  if (rest < 0) {  // floor, so that the remainder is in [0, count)
    rest += count;
    --quotient;
  }
  if (2 * rest > count || (2 * rest == count && (quotient & 1) != 0)) ++quotient;
  return static_cast<int64_t>(quotient);
}

}  // namespace

int64_t divideHalfEven(int64_t total, int64_t count) { return divideWide(total, count); }

int64_t roundedMean(std::span<const int64_t> samples) {
  if (samples.empty()) return 0;
  Int128 total = 0;
  for (int64_t sample : samples) total += sample;
  return divideWide(total, static_cast<int64_t>(samples.size()));
}

double standardDeviation(std::span<const int64_t> samples) {
  if (samples.size() < 2) return 0;
  // Offsets from the first sample, because a double has too few digits for the spread of absolute epoch times.
  const auto offset = [&](int64_t sample) { return static_cast<double>(static_cast<Int128>(sample) - samples[0]); };
  Int128 total = 0;
  for (int64_t sample : samples) total += static_cast<Int128>(sample) - samples[0];
  const auto count = static_cast<double>(samples.size());
  const double mean = static_cast<double>(total) / count;
  double squares = 0;
  for (int64_t sample : samples) squares += (offset(sample) - mean) * (offset(sample) - mean);
  return std::sqrt(squares / count);
}

int64_t median(std::span<const int64_t> samples) {
  if (samples.empty()) return 0;
  std::vector<int64_t> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 != 0) return sorted[middle];
  return divideWide(static_cast<Int128>(sorted[middle - 1]) + sorted[middle], 2);
}

int64_t sum(std::span<const int64_t> samples) { return std::accumulate(samples.begin(), samples.end(), int64_t{0}); }

TimeStatistics timeStatistics(std::span<const int64_t> samplesNs) {
  return {roundedMean(samplesNs), sum(samplesNs), median(samplesNs), standardDeviation(samplesNs)};
}

}  // namespace amdahlc
