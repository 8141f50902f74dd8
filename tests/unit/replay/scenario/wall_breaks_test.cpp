#include "replay/scenario/wall_breaks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "replay/scenario/wall_curve.h"

namespace amdahlc {
namespace {

WallBreaks breaksOf(const std::function<double(const Rational&)>& function, double tolerance = 1, size_t most = 64) {
  return wallBreaks(function, standardFactors(), tolerance, tolerance, most);
}

TEST_CASE("a straight line has no break, whatever is rounded") {
  for (const double rounding : {0.0, 1.0}) {
    const WallBreaks breaks = breaksOf(
        [&](const Rational& factor) {
          const double ns = 1e6 + 1e6 * factor.toDouble();
          return rounding == 0 ? ns : std::round(ns + rounding * std::sin(1e5 * factor.toDouble()));
        },
        4);
    CHECK(breaks.corners == standardFactors());
    CHECK(!breaks.knee);
    CHECK(breaks.isComplete);
  }
}

TEST_CASE("a time that does not change has no break") {
  const WallBreaks breaks = breaksOf([](const Rational&) { return 1e6; });
  CHECK(breaks.samples.size() == standardFactors().size());
  CHECK(!breaks.knee);
}

TEST_CASE("the knee is where two lines meet") {
  for (const Rational knee : {Rational{1, 2}, Rational{49, 100}, Rational{37, 100}, Rational{9, 10}, Rational{3, 50}}) {
    const WallBreaks breaks = breaksOf(
        [&](const Rational& factor) { return std::round(1e6 * std::max(factor.toDouble(), knee.toDouble())); }, 4);
    const auto& found = breaks.knee;
    REQUIRE(found);
    CHECK_MESSAGE(std::abs(found->toDouble() - knee.toDouble()) <= 1e-3, found->describe()
                                                                             << " instead of " << knee.describe());
    CHECK(found->denominator <= knee.denominator);
    CHECK(breaks.isComplete);
  }
}

TEST_CASE("the knee is the first break that halves the slope") {
  // Slopes of 100, 60 and 10, with breaks at 3/5 and 3/10.
  const WallBreaks breaks = breaksOf([](const Rational& factor) {
    const double f = factor.toDouble();
    return std::max({1e5 * f, 6e4 * f + 2.4e4, 1e4 * f + 3.9e4});
  });
  const auto& corners = breaks.corners;
  CHECK(std::count(corners.begin(), corners.end(), Rational{3, 5}) == 1);
  CHECK(breaks.knee == Rational{3, 10});
}

TEST_CASE("a curve without straight lines ends with the number of samples") {
  const auto square = [](const Rational& factor) { return 1e6 * factor.toDouble() * factor.toDouble(); };
  const WallBreaks breaks = breaksOf(square, 1, 20);
  CHECK(!breaks.isComplete);
  CHECK(breaks.samples.size() < 2 * standardFactors().size() + 40);
}

TEST_CASE("the simplest fraction of an interval has the smallest denominator") {
  CHECK(simplestBetween({333, 1000}, {334, 1000}) == Rational{1, 3});
  CHECK(simplestBetween({1, 3}, {1, 2}) == Rational{1, 2});
  CHECK(simplestBetween({49, 100}, {499, 1000}) == Rational{25, 51});
  CHECK(simplestBetween({7, 2}, {9, 2}) == Rational{4, 1});
}

}  // namespace
}  // namespace amdahlc
