#include "support/statistics.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
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
  const TimeStatistics times = timeStatistics(std::vector<int64_t>{1, 2, 6}, Average::Median);
  CHECK(times.meanNs == 3);
  CHECK(times.totalNs == 9);
  CHECK(times.medianNs == 2);
  CHECK(times.standardDeviationNs == doctest::Approx(std::sqrt(14.0 / 3)));
  CHECK(times.reportedNs == 2);
  CHECK(timeStatistics(std::vector<int64_t>{1, 2, 6}, Average::Mean).reportedNs == 3);
  CHECK(timeStatistics({}, Average::Mean).totalNs == 0);
}

TEST_CASE("the lower median was measured") {
  CHECK(lowerMedian(std::vector<int64_t>{9, 1, 5, 3}) == 3);
  CHECK(lowerMedian(std::vector<int64_t>{9, 1, 5}) == 5);
  CHECK(lowerMedian({}) == 0);
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

using Numbers = std::vector<int64_t>;

TEST_CASE("parts that divide are exact") { CHECK(apportion(6, Numbers{4, 8}, 2) == Numbers{2, 4}); }

TEST_CASE("the largest remainders are rounded up, of equal ones the first") {
  CHECK(apportion(4, Numbers{5, 5, 2}, 3) == Numbers{2, 2, 0});
  CHECK(apportion(1, Numbers{1, 1, 1}, 3) == Numbers{1, 0, 0});
  CHECK(apportion(2, Numbers{1, 2, 2}, 3) == Numbers{0, 1, 1});
}

TEST_CASE("there may be no parts") { CHECK(apportion(0, Numbers{}, 3).empty()); }

TEST_CASE("a whole that was rounded down or up is the sum of its parts, and so are the parts of its parts") {
  for (int64_t seed = 1; seed < 200; ++seed) {
    Numbers parts;
    for (int64_t i = 0; i < seed % 7 + 1; ++i) parts.push_back(seed * seed * (i + 3) % 101);
    const int64_t sum = std::accumulate(parts.begin(), parts.end(), int64_t{0});
    const int64_t divisor = seed % 5 + 1;
    for (const int64_t whole : {sum / divisor, (sum + divisor - 1) / divisor, divideHalfEven(sum, divisor)}) {
      const Numbers rounded = apportion(whole, parts, divisor);
      REQUIRE(std::accumulate(rounded.begin(), rounded.end(), int64_t{0}) == whole);
      for (size_t i = 0; i < parts.size(); ++i) {
        CHECK(rounded[i] >= parts[i] / divisor);
        CHECK(rounded[i] <= (parts[i] + divisor - 1) / divisor);
      }
    }
  }
}
