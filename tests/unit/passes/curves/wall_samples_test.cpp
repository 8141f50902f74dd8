#include "passes/curves/wall_samples.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "passes/curves/curve_builder.h"

namespace amdahlc {
namespace {

WallSamples samplesOf(const WallSamples::Function& function, double tolerance = 1, size_t most = 64) {
  return {function, standardFactors(), tolerance, tolerance, most};
}

std::optional<Rational> kneeOf(const WallSamples& samples) { return samples.knee(samples.corners()); }

TEST_CASE("a straight line has no break, whatever is rounded") {
  for (const double rounding : {0.0, 1.0}) {
    const WallSamples samples = samplesOf(
        [&](const Rational& factor) {
          const double ns = 1e6 + 1e6 * factor.toDouble();
          return rounding == 0 ? ns : std::round(ns + rounding * std::sin(1e5 * factor.toDouble()));
        },
        4);
    CHECK(samples.corners() == standardFactors());
    CHECK(!kneeOf(samples));
    CHECK(samples.isComplete());
  }
}

TEST_CASE("a time that does not change has no break") {
  const WallSamples samples = samplesOf([](const Rational&) { return 1e6; });
  CHECK(samples.values().size() == standardFactors().size());
  CHECK(!kneeOf(samples));
}

TEST_CASE("the knee is where two lines meet") {
  for (const Rational knee : {Rational{1, 2}, Rational{49, 100}, Rational{37, 100}, Rational{9, 10}, Rational{3, 50}}) {
    const WallSamples samples = samplesOf(
        [&](const Rational& factor) { return std::round(1e6 * std::max(factor.toDouble(), knee.toDouble())); }, 4);
    const auto found = kneeOf(samples);
    REQUIRE(found);
    CHECK_MESSAGE(std::abs(found->toDouble() - knee.toDouble()) <= 1e-3, found->describe()
                                                                             << " instead of " << knee.describe());
    CHECK(found->denominator <= knee.denominator);
    CHECK(samples.isComplete());
  }
}

TEST_CASE("the knee is the first break that halves the slope") {
  // Slopes of 100, 60 and 10, with breaks at 3/5 and 3/10.
  const WallSamples samples = samplesOf([](const Rational& factor) {
    const double f = factor.toDouble();
    return std::max({1e5 * f, 6e4 * f + 2.4e4, 1e4 * f + 3.9e4});
  });
  const auto corners = samples.corners();
  CHECK(std::count(corners.begin(), corners.end(), Rational{3, 5}) == 1);
  CHECK(kneeOf(samples) == Rational{3, 10});
}

TEST_CASE("a curve without straight lines ends with the number of samples") {
  const auto square = [](const Rational& factor) { return 1e6 * factor.toDouble() * factor.toDouble(); };
  const WallSamples samples = samplesOf(square, 1, 20);
  CHECK(!samples.isComplete());
  CHECK(samples.values().size() < 2 * standardFactors().size() + 40);
}

TEST_CASE("the simplest fraction of an interval has the smallest denominator") {
  CHECK(simplestBetween({333, 1000}, {334, 1000}) == Rational{1, 3});
  CHECK(simplestBetween({1, 3}, {1, 2}) == Rational{1, 2});
  CHECK(simplestBetween({49, 100}, {499, 1000}) == Rational{25, 51});
  CHECK(simplestBetween({7, 2}, {9, 2}) == Rational{4, 1});
}

}  // namespace
}  // namespace amdahlc
