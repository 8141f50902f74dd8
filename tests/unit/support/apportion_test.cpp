#include "support/statistics.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "support/statistics.h"

using amdahlc::apportion;
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
    for (const int64_t whole : {sum / divisor, (sum + divisor - 1) / divisor, amdahlc::divideHalfEven(sum, divisor)}) {
      const Numbers rounded = apportion(whole, parts, divisor);
      REQUIRE(std::accumulate(rounded.begin(), rounded.end(), int64_t{0}) == whole);
      for (size_t i = 0; i < parts.size(); ++i) {
        CHECK(rounded[i] >= parts[i] / divisor);
        CHECK(rounded[i] <= (parts[i] + divisor - 1) / divisor);
      }
    }
  }
}
