#include "support/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

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

/// Saturates: the distance of two times may need 65 bits.
int64_t distance(int64_t a, int64_t b) {
  const Int128 wide = a < b ? static_cast<Int128>(b) - a : static_cast<Int128>(a) - b;
  return wide > INT64_MAX ? INT64_MAX : static_cast<int64_t>(wide);
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
  const auto offset = [&](int64_t sample) {
    // The usual 64 bits are converted by an instruction, 128 bits by a function.
    int64_t narrow = 0;
    return __builtin_sub_overflow(sample, samples[0], &narrow)
               ? static_cast<double>(static_cast<Int128>(sample) - samples[0])
               : static_cast<double>(narrow);
  };
  Int128 total = 0;
  for (int64_t sample : samples) total += static_cast<Int128>(sample) - samples[0];
  const auto count = static_cast<double>(samples.size());
  const double mean = static_cast<double>(total) / count;
  double squares = 0;
  for (int64_t sample : samples) {
    const double away = offset(sample) - mean;
    squares += away * away;
  }
  return std::sqrt(squares / count);
}

int64_t median(std::span<const int64_t> samples) {
  if (samples.empty()) return 0;
  std::vector<int64_t> copy(samples.begin(), samples.end());
  const auto middle = copy.begin() + static_cast<ptrdiff_t>(copy.size() / 2);
  std::nth_element(copy.begin(), middle, copy.end());
  if (copy.size() % 2 != 0) return *middle;
  return divideWide(static_cast<Int128>(*std::max_element(copy.begin(), middle)) + *middle, 2);
}

int64_t lowerMedian(std::span<const int64_t> samples) {
  if (samples.empty()) return 0;
  std::vector<int64_t> copy(samples.begin(), samples.end());
  const auto middle = copy.begin() + static_cast<ptrdiff_t>((copy.size() - 1) / 2);
  std::ranges::nth_element(copy, middle);
  return *middle;
}

int64_t quartile(std::span<const int64_t> sorted, size_t number) {
  const size_t quarters = number * (sorted.size() - 1), below = quarters / 4, part = quarters % 4;
  if (part == 0) return sorted[below];
  return divideWide(static_cast<Int128>(sorted[below]) * static_cast<Int128>(4 - part) +
                        static_cast<Int128>(sorted[below + 1]) * static_cast<Int128>(part),
                    4);
}

int64_t medianDeviation(std::span<const int64_t> samples) {
  const int64_t middle = median(samples);
  std::vector<int64_t> distances;
  distances.reserve(samples.size());
  for (const int64_t sample : samples) distances.push_back(distance(sample, middle));
  return median(distances);
}

std::vector<size_t> outliers(std::span<const int64_t> samples) {
  constexpr size_t kFewest = 3;
  constexpr double kDeviations = 3;
  std::vector<size_t> found;
  if (samples.size() < kFewest) return found;
  const int64_t middle = median(samples);
  const double limit = kDeviations * kDeviationsOfMedianDeviation * static_cast<double>(medianDeviation(samples));
  for (size_t i = 0; i < samples.size(); ++i)
    if (static_cast<double>(distance(samples[i], middle)) > limit) found.push_back(i);
  return found;
}

int64_t sum(std::span<const int64_t> samples) { return std::accumulate(samples.begin(), samples.end(), int64_t{0}); }

std::vector<int64_t> apportion(int64_t whole, std::span<const int64_t> parts, int64_t divisor) {
  std::vector<int64_t> out;
  out.reserve(parts.size());
  for (const int64_t part : parts) {
    out.push_back(part / divisor);
    whole -= out.back();
  }
  if (whole <= 0) return out;
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return parts[a] % divisor > parts[b] % divisor; });
  for (size_t i = 0; i < order.size() && whole > 0; ++i, --whole) ++out[order[i]];
  return out;
}

TimeStatistics timeStatistics(std::span<const int64_t> samplesNs, Average reported) {
  TimeStatistics out{roundedMean(samplesNs), sum(samplesNs), lowerMedian(samplesNs), standardDeviation(samplesNs),
                     medianDeviation(samplesNs)};
  out.reportedNs = reported == Average::Mean ? out.meanNs : out.medianNs;
  return out;
}

}  // namespace amdahlc
