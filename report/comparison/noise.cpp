#include "report/comparison/noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace amdahlc::comparison {
namespace {

__extension__ typedef __int128 Int128;

/// Within double: by default the library computes with long double, also when the program starts, and that overflows in
/// Valgrind, whose long double is a double.
using StudentsT =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

constexpr size_t kFewestIterations = 3, kFewestRecordings = 3;
constexpr double kFalseDiscoveryRate = 0.05;

/// Of an even number the lower one of the two in the middle, so that it is a measured value. Precondition: there are
/// values.
template <typename Value>
Value middle(std::vector<Value> values) {
  const auto at = values.begin() + static_cast<ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double sumOfSquares(const std::vector<double>& values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

/// Logarithms of times, so that differences are ratios and long times weigh less. A time of 0 counts as 1 ns.
std::vector<double> logarithms(const std::vector<int64_t>& timesNs) {
  std::vector<double> logs;
  for (const int64_t ns : timesNs) logs.push_back(std::log(static_cast<double>(std::max<int64_t>(ns, 1))));
  return logs;
}

std::vector<double> distancesFrom(double center, const std::vector<double>& values) {
  std::vector<double> distances;
  for (const double value : values) distances.push_back(value - center);
  return distances;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// How well the logarithm of a median is known.
struct Error {
  /// The square of the standard error.
  double variance = 0;
  /// Degrees of freedom of this estimate.
  double freedom = 0;
  /// Whose medians are the samples; 0 if the iterations are.
  size_t recordings = 0;
};

/// The iterations are the samples; n of them that depend on each other tell as much as n (1 - r) / (1 + r) that do not,
/// where r is their correlation with the iteration before.
Error errorOfIterations(const Samples& samplesNs) {
  std::vector<double> all;
  double products = 0, squares = 0;
  for (const std::vector<int64_t>& recording : samplesNs) {
    const std::vector<double> logs = logarithms(recording);
    const std::vector<double> distances = distancesFrom(mean(logs), logs);
    products += std::inner_product(distances.begin() + 1, distances.end(), distances.begin(), 0.0);
    squares += sumOfSquares(distances);
    all.insert(all.end(), logs.begin(), logs.end());
  }
  // Of equal iterations there is nothing but what rounding leaves, which has a correlation as well.
  constexpr double kOfRounding = 1e-26;
  const auto count = static_cast<double>(all.size());
  const double correlation = squares > kOfRounding * count ? std::max(0.0, products / squares) : 0;
  const double effective = count * (1 - correlation) / (1 + correlation);
  std::vector<double> distances = distancesFrom(middle(all), all);
  for (double& distance : distances) distance = std::abs(distance);
  // The standard error of the median of normally distributed samples. Their standard deviation follows from the median
  // deviation; C. Croux and P. J. Rousseeuw, "Time-efficient algorithms for two highly robust estimators of scale",
  // Computational Statistics 1, 1992, have the correction for few samples. The median deviation of n samples varies
  // like a standard deviation of 0.37 n.
  constexpr double kErrorOfMedian = 1.2533, kOfMedianDeviation = 1.4826, kFewSamples = 0.8, kEfficiency = 0.37;
  const double freedom = std::max(1.0, kEfficiency * (count - 1));
  const double deviation = kOfMedianDeviation * middle(distances) * count / (count - kFewSamples);
  if (deviation > 0) return {kErrorOfMedian * kErrorOfMedian * deviation * deviation / effective, freedom};
  // Most samples are equal, as in times of a coarse clock. Their deviation is that of the mean distance, and the median
  // may be any of the samples around it.
  constexpr double kOfMeanDeviation = 1.2533;
  std::ranges::sort(all);
  const auto around = static_cast<size_t>(std::ceil(std::sqrt(count) / 2)), at = (all.size() - 1) / 2;
  const double error = std::max(kErrorOfMedian * kOfMeanDeviation * mean(distances) / std::sqrt(effective),
                                (all[std::min(at + around, all.size() - 1)] - all[at - std::min(at, around)]) / 2);
  return {error * error, freedom};
}

/// The medians of the recordings are the samples, so that the degrees of freedom are one less than the recordings. A
/// few of them may be close to each other by chance, or equal where the clock is coarse, so that the error is at least
/// that of all iterations.
Error errorOfRecordings(const Samples& samplesNs) {
  std::vector<int64_t> mediansNs;
  for (const std::vector<int64_t>& recording : samplesNs) mediansNs.push_back(middle(recording));
  const std::vector<double> logs = logarithms(mediansNs);
  const auto count = static_cast<double>(logs.size());
  const double variance = sumOfSquares(distancesFrom(mean(logs), logs)) / (count - 1) / count;
  return {std::max(variance, errorOfIterations(samplesNs).variance), count - 1, logs.size()};
}

bool hasRecordings(const MeasuredTime& time) { return time.samplesNs.size() >= kFewestRecordings; }

/// nullopt if it is unknown.
std::optional<Error> errorOf(const MeasuredTime& time) {
  if (hasRecordings(time)) return errorOfRecordings(time.samplesNs);
  size_t iterations = 0;
  for (const std::vector<int64_t>& recording : time.samplesNs) iterations += recording.size();
  if (iterations < kFewestIterations) return std::nullopt;
  return errorOfIterations(time.samplesNs);
}

bool isBeyondDrift(const TwoTimes& row) {
  if (hasRecordings(row.before) && hasRecordings(row.after)) return true;
  constexpr int64_t kWhole = 100;
  const auto [shortNs, longNs] = std::minmax(row.before.ns, row.after.ns);
  return (Int128{longNs} - shortNs) * kWhole > Int128{shortNs} * kDriftPercent;
}

/// The shortest and the longest iteration, as logarithms.
struct Range {
  double low, high;
  explicit Range(const Samples& samplesNs) : low(std::log(INT64_MAX)), high(0) {
    for (const std::vector<int64_t>& recording : samplesNs)
      for (const double log : logarithms(recording)) {
        low = std::min(low, log);
        high = std::max(high, log);
      }
  }
};

/// Whether the iterations of both sides are so far apart that a test, which knows little of noise from a few of them,
/// need not be asked: further than twice what the iterations of a side differ by, and than 20 %.
bool areApart(const TwoTimes& row) {
  constexpr double kFewestRanges = 2;
  static const double kLeast = std::log(1.2);
  const Range before(row.before.samplesNs), after(row.after.samplesNs);
  const double gap = std::max(after.low - before.high, before.low - after.high);
  return gap > std::max(kLeast, kFewestRanges * std::max(before.high - before.low, after.high - after.low));
}

/// How likely noise alone makes a difference as large as that of the row, and the interval of its ratio.
struct Tested {
  size_t row = 0;
  double probability = 1;
  RatioInterval ratio;
};

/// Degrees of freedom of the error of a difference.
double freedomOf(const Error& before, const Error& after) {
  // Both estimate one variance, that of the machine and the program. Even where it is not one, samples of equal size
  // keep Student's test close to its level: G. E. P. Box, "Some theorems on quadratic forms applied in the study of
  // analysis of variance problems, I", Annals of Mathematical Statistics 25, 1954.
  if (before.recordings > 0 && before.recordings == after.recordings) return before.freedom + after.freedom;
  // The Welch-Satterthwaite equation: B. L. Welch, "The generalization of Student's problem when several different
  // population variances are involved", Biometrika 34, 1947. Divided by the variance first, which may be tiny.
  const double variance = before.variance + after.variance;
  const double a = before.variance / variance, b = after.variance / variance;
  return 1 / (a * a / before.freedom + b * b / after.freedom);
}

/// Student's t test of the logarithms.
Tested test(size_t row, const TwoTimes& times, const Error& before, const Error& after) {
  constexpr double kTail = 0.025;
  const std::vector<double> logs = logarithms({times.before.ns, times.after.ns});
  const double difference = logs[1] - logs[0], variance = before.variance + after.variance;
  if (variance == 0) return {row, difference == 0 ? 1.0 : 0.0, {std::exp(difference), std::exp(difference)}};
  const StudentsT distribution(freedomOf(before, after));
  const double error = std::sqrt(variance);
  const double half = boost::math::quantile(boost::math::complement(distribution, kTail)) * error;
  const double probability =
      areApart(times) ? 0 : 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(difference) / error));
  return {row, probability, {std::exp(difference - half), std::exp(difference + half)}};
}

}  // namespace

MeasuredTime::MeasuredTime(Samples samples) : samplesNs(std::move(samples)) {
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& recording : samplesNs) all.insert(all.end(), recording.begin(), recording.end());
  if (!all.empty()) ns = middle(std::move(all));
}

// In the order of the enumerators.

std::string_view name(Change change) {
  static constexpr std::string_view kNames[] = {"within-noise", "faster", "slower", "noise-unknown", "unknown", ""};
  return kNames[static_cast<size_t>(change)];
}

std::string_view mark(Change change) {
  static constexpr std::string_view kMarks[] = {"~", "", "", "?", "", ""};
  return kMarks[static_cast<size_t>(change)];
}

std::vector<Judgement> judge(std::span<const TwoTimes> rows) {
  std::vector<Judgement> judgements(rows.size());
  std::vector<Tested> tested;
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto before = errorOf(rows[r].before), after = errorOf(rows[r].after);
    if (before && after) tested.push_back(test(r, rows[r], *before, *after));
  }
  std::ranges::stable_sort(tested, {}, &Tested::probability);
  size_t discoveries = tested.size();
  const auto limit = [&](size_t rank) {
    return kFalseDiscoveryRate * static_cast<double>(rank) / static_cast<double>(tested.size());
  };
  while (discoveries > 0 && tested[discoveries - 1].probability > limit(discoveries)) --discoveries;
  for (size_t i = 0; i < tested.size(); ++i) {
    const TwoTimes& row = rows[tested[i].row];
    Change change = Change::WithinNoise;
    if (i < discoveries && isBeyondDrift(row)) change = row.after.ns > row.before.ns ? Change::Slower : Change::Faster;
    judgements[tested[i].row] = {change, tested[i].ratio};
  }
  return judgements;
}

std::string legendOf(const std::vector<Change>& shown, std::string_view before) {
  const auto isShown = [&](Change change) { return std::ranges::find(shown, change) != shown.end(); };
  std::string text;
  if (isShown(Change::WithinNoise))
    text += fmt::format(
        "  {}: within noise{}: what chance explains, and, with fewer than three recordings on a side, all of at most "
        "{} %\n",
        mark(Change::WithinNoise), before, kDriftPercent);
  if (isShown(Change::NoiseUnknown)) text += fmt::format("  {}: {}\n", mark(Change::NoiseUnknown), kNoiseUnknown);
  if (isShown(Change::Unknown))
    text += fmt::format(
        "  {}: no event of some of its kernels is known, and they may be in unexplained time: it takes at least what "
        "is "
        "shown\n",
        name(Change::Unknown));
  return text;
}

}  // namespace amdahlc::comparison
