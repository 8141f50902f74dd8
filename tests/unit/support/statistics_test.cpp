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
