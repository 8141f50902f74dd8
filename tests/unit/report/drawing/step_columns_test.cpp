#include "report/drawing/step_columns.h"

#include <doctest/doctest.h>

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

using Levels = std::vector<int64_t>;
using Changes = std::vector<LevelChange>;
using Intervals = std::vector<std::pair<int64_t, int64_t>>;

constexpr ColumnRange kTen{100, 200, 10};

TEST_CASE("a column has the highest level within it, also of a moment") {
  CHECK(highestLevels(Changes{{125, 1}, {126, 1}, {127, -2}}, kTen) == Levels{0, 0, 2, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("a level holds up to its next change") {
  CHECK(highestLevels(Changes{{115, 3}, {145, -2}}, kTen) == Levels{0, 3, 3, 3, 3, 1, 1, 1, 1, 1});
}

TEST_CASE("a level that ends at the edge of a column is not in it") {
  CHECK(highestLevels(Changes{{110, 2}, {130, -2}}, kTen) == Levels{0, 2, 2, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("changes before the range count, changes behind it do not") {
  CHECK(highestLevels(Changes{{5, 2}, {50, -1}, {200, 7}}, kTen) == Levels(10, 1));
}

TEST_CASE("changes at one time are one change") {
  CHECK(highestLevels(Changes{{100, 1}, {155, 1}, {155, -1}}, kTen) == Levels(10, 1));
}

TEST_CASE("more columns than nanoseconds are no problem") {
  CHECK(highestLevels(Changes{{1, 1}}, {0, 2, 6}) == Levels{0, 0, 0, 1, 1, 1});
}

TEST_CASE("times of 64 bits do not overflow") {
  const ColumnRange all{INT64_MIN, INT64_MAX, 4};
  CHECK(highestLevels(Changes{{INT64_MAX - 5, 1}}, all) == Levels{0, 0, 0, 1});
  CHECK(coveredShares(Intervals{{INT64_MIN, INT64_MAX}}, all) == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("the covered share of a column is exact") {
  CHECK(coveredShares(Intervals{{90, 105}, {107, 110}, {119, 140}}, kTen) ==
        std::vector<double>{0.8, 0.1, 1, 1, 0, 0, 0, 0, 0, 0});
  CHECK(coveredShares(Intervals{{195, 300}}, kTen).back() == 0.5);
}

}  // namespace
