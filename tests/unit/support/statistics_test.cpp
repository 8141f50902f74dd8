#include "support/statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace amdahlc;

TEST_CASE("division rounds half to even on both sides of zero") {
  CHECK(divideHalfEven(5, 2) == 2);
  CHECK(divideHalfEven(7, 2) == 4);
  CHECK(divideHalfEven(-5, 2) == -2);
  CHECK(divideHalfEven(-7, 2) == -4);
  CHECK(divideHalfEven(8, 3) == 3);
  CHECK(divideHalfEven(-1, 3) == 0);
}

TEST_CASE("mean and median survive sums beyond 64 bits") {
  const std::vector<int64_t> large{INT64_MAX, INT64_MAX, INT64_MAX - 2};
  CHECK(roundedMean(large) == INT64_MAX - 1);
  CHECK(median(std::vector<int64_t>{INT64_MAX, INT64_MAX - 2}) == INT64_MAX - 1);
  CHECK(median(std::vector<int64_t>{9, 1, 4}) == 4);
  CHECK(median(std::vector<int64_t>{1, 4}) == 2);
  CHECK(roundedMean({}) == 0);
  CHECK(median({}) == 0);
}

TEST_CASE("standard deviation is that of the population, also far from zero") {
  CHECK(standardDeviation(std::vector<int64_t>{2, 4, 4, 4, 5, 5, 7, 9}) == doctest::Approx(2));
  const int64_t epoch = 1712345678901234567;
  CHECK(standardDeviation(std::vector<int64_t>{epoch, epoch + 2}) == doctest::Approx(1));
  CHECK(standardDeviation(std::vector<int64_t>{7}) == 0);
}

TEST_CASE("the statistics of times are mean, total, median and standard deviation of the same samples") {
  const TimeStatistics times = timeStatistics(std::vector<int64_t>{1, 2, 6});
  CHECK(times.meanNs == 3);
  CHECK(times.totalNs == 9);
  CHECK(times.medianNs == 2);
  CHECK(times.standardDeviationNs == doctest::Approx(std::sqrt(14.0 / 3)));
  CHECK(timeStatistics({}).totalNs == 0);
}

TEST_CASE("the median deviation and outliers follow the median, not the mean") {
  const std::vector<int64_t> samples{10, 11, 12, 13, 100};
  CHECK(medianDeviation(samples) == 1);
  CHECK(outliers(samples) == std::vector<size_t>{4});
  // 3 x 1.4826 x 1 = 4.4478.
  CHECK(outliers(std::vector<int64_t>{10, 11, 12, 13, 16}).empty());
  CHECK(outliers(std::vector<int64_t>{10, 11, 12, 13, 17}) == std::vector<size_t>{4});
  CHECK(outliers(std::vector<int64_t>{1, 100}).empty());
  CHECK(medianDeviation({}) == 0);
  CHECK(medianDeviation(std::vector<int64_t>{INT64_MIN, INT64_MIN, INT64_MAX}) == 0);
}

TEST_CASE("Welch's interval: equal samples have Student's, and few samples none") {
  // {1, 2, 3} and {2, 3, 4}: the variance of each mean is 1/3, 4 degrees of freedom, quantile 2.776445.
  const double deviation = std::sqrt(2.0 / 3);
  const auto interval = welchInterval({2, deviation, 3}, {3, deviation, 3});
  REQUIRE(interval);
  CHECK(interval->low == doctest::Approx(1 - 2.776445 * std::sqrt(2.0 / 3)));
  CHECK(interval->high == doctest::Approx(1 + 2.776445 * std::sqrt(2.0 / 3)));
  CHECK_FALSE(welchInterval({2, 1, 2}, {3, 1, 9}));
  CHECK_FALSE(welchInterval({2, 1e200, 5}, {3, 1, 9}));
  // With no spread on one side, the freedom is that of the other: 2, quantile 4.302653.
  const auto one = welchInterval({0, 0, 9}, {5, std::sqrt(2.0), 3});
  REQUIRE(one);
  CHECK(one->high == doctest::Approx(5 + 4.302653));
  const auto none = welchInterval({1, 0, 3}, {1, 0, 3});
  REQUIRE(none);
  CHECK(none->contains(0));
}
