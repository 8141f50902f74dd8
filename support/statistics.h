/// Statistics over exact integer samples.
#pragma once

#include <cstdint>
#include <span>

namespace amdahlc {

/// Mean, rounded once, half to even; 0 for no samples.
int64_t roundedMean(std::span<const int64_t> samples);
/// total / count, rounded half to even; precondition: count > 0.
int64_t divideHalfEven(int64_t total, int64_t count);
/// Population standard deviation; 0 for fewer than two samples.
double standardDeviation(std::span<const int64_t> samples);
/// Median; the mean of the two middle samples for an even count, rounded half to even; 0 for no samples.
int64_t median(std::span<const int64_t> samples);
/// 0 for no samples; precondition: it fits into 64 bits.
int64_t sum(std::span<const int64_t> samples);

/// A time, one sample per iteration.
struct TimeStatistics {
  /// Rounded half to even.
  int64_t meanNs = 0;
  int64_t totalNs = 0;
  int64_t medianNs = 0;
  /// Of the population.
  double standardDeviationNs = 0;
};

/// All zero for no samples. The precondition is that of `sum`.
TimeStatistics timeStatistics(std::span<const int64_t> samplesNs);

}  // namespace amdahlc
