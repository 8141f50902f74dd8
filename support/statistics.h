/// Statistics over exact integer samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace amdahlc {

/// Which average of times that differ from one iteration to the next reports show.
enum class Average : uint8_t { Median, Mean };
/// In the order of the enumerators.
inline constexpr std::string_view kAverageNames[] = {"median", "mean"};
inline std::string_view name(Average average) { return kAverageNames[static_cast<size_t>(average)]; }

/// Mean, rounded once, half to even; 0 for no samples.
int64_t roundedMean(std::span<const int64_t> samples);
/// total / count, rounded half to even; precondition: count > 0.
int64_t divideHalfEven(int64_t total, int64_t count);
/// A total over iterations, per iteration: rounded half to even, and 0 without iterations.
inline int64_t perIteration(int64_t total, int64_t iterations) {
  return iterations == 0 ? 0 : divideHalfEven(total, iterations);
}
/// Population standard deviation; 0 for fewer than two samples.
double standardDeviation(std::span<const int64_t> samples);
/// Median; the mean of the two middle samples for an even count, rounded half to even; 0 for no samples.
int64_t median(std::span<const int64_t> samples);
/// The median, of an even count the lower one of the two middle samples, so that it was measured; 0 for no samples.
int64_t lowerMedian(std::span<const int64_t> samples);
/// A quartile of sorted samples, 0 (the least) to 4 (the largest). Quantile p of n samples is at the position
/// p (n - 1), counted from 0: between two samples on the line through them, rounded half to even. So the second is the
/// median. Precondition: there are samples.
int64_t quartile(std::span<const int64_t> sorted, size_t number);
/// The median of the distances from the median (MAD); 0 for no samples.
int64_t medianDeviation(std::span<const int64_t> samples);
/// The standard deviation of normally distributed samples is this many times their median deviation: 1 / (the 0.75
/// quantile of the normal distribution).
inline constexpr double kDeviationsOfMedianDeviation = 1.4826;
/// The positions of the samples that are further from the median than 3 x 1.4826 x MAD, ascending; none of fewer than
/// three samples.
std::vector<size_t> outliers(std::span<const int64_t> samples);
/// 0 for no samples; precondition: it fits into 64 bits.
int64_t sum(std::span<const int64_t> samples);

/// The parts over `divisor`, each rounded down or up, so that their sum is `whole`. Those with the largest remainders
/// are rounded up; of equal ones the first (the method of largest remainders). Preconditions: the divisor is positive,
/// no part is negative, their sum fits into 64 bits, and `whole` is their sum over the divisor, rounded down or up.
std::vector<int64_t> apportion(int64_t whole, std::span<const int64_t> parts, int64_t divisor);

/// A time, one sample per iteration.
struct TimeStatistics {
  friend bool operator==(const TimeStatistics&, const TimeStatistics&) = default;
  /// Rounded half to even.
  int64_t meanNs = 0;
  int64_t totalNs = 0;
  /// What `lowerMedian` computes.
  int64_t medianNs = 0;
  /// Of the population.
  double standardDeviationNs = 0;
  /// What `medianDeviation` computes.
  int64_t medianDeviationNs = 0;
  /// What reports show: the median or the mean, or the time of one iteration.
  int64_t reportedNs = 0;
};

/// All zero for no samples. The precondition is that of `sum`.
TimeStatistics timeStatistics(std::span<const int64_t> samplesNs, Average reported);

}  // namespace amdahlc
