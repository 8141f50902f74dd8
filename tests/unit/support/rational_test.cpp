#include "support/rational.h"

#include <doctest/doctest.h>

using amdahlc::Rational;

TEST_CASE("fractions are read exactly and kept in lowest terms") {
  CHECK(Rational::parse("3") == Rational{3, 1});
  CHECK(Rational::parse("1.5") == Rational{3, 2});
  CHECK(Rational::parse("6/4") == Rational{3, 2});
  CHECK(Rational::parse("0.10") == Rational{1, 10});
  CHECK(Rational::parse("0") == Rational{0, 1});
  for (const char* text : {"", "-1", "1/0", "1/", "/2", "1.", ".5", "1e3", "1/2/3", "1.5/2", "12345678901234567890"})
    CHECK_MESSAGE(!Rational::parse(text), text);
  CHECK(Rational{3, 2}.describe() == "3/2");
  CHECK(Rational{4, 1}.describe() == "4");
}

TEST_CASE("products and quotients are exact if they fit 64 bits") {
  CHECK(Rational::of(2, 3) * Rational::of(3, 4) == Rational::of(1, 2));
  CHECK(Rational::of(1, 3) / Rational::of(2, 3) == Rational::of(1, 2));
  const Rational big = Rational::of(INT64_MAX, 2);
  CHECK(big * Rational::of(2, INT64_MAX) == Rational::of(1));
  CHECK(Rational::of(0) * big == Rational::of(0));
}

TEST_CASE("a product beyond 64 bits is near the true one instead of wrapped") {
  const Rational big = Rational::of(INT64_MAX, 3);
  const Rational product = big * Rational::of(INT64_MAX - 1, INT64_MAX - 2);
  CHECK(product.toDouble() == doctest::Approx(static_cast<double>(INT64_MAX) / 3));
  CHECK(product.numerator > 0);
}

TEST_CASE("comparison does not overflow") {
  CHECK(Rational::of(INT64_MAX - 1, INT64_MAX) < Rational::of(1));
  CHECK_FALSE(Rational::of(INT64_MAX) < Rational::of(INT64_MAX - 1, 1));
}

TEST_CASE(
    "a sum of lengths times factors is rounded once, half to even, also of factors that are no binary fractions") {
  const auto sumOf = [](std::initializer_list<std::pair<int64_t, Rational>> parts) {
    amdahlc::ScaledSum sum;
    for (const auto& [length, factor] : parts) sum.add(length, factor);
    return sum.rounded();
  };
  CHECK(sumOf({{1, {1, 2}}}) == 0);
  CHECK(sumOf({{3, {1, 2}}}) == 2);
  CHECK(sumOf({{1, {1, 3}}, {1, {1, 6}}}) == 0);
  CHECK(sumOf({{1, {1, 3}}, {1, {1, 6}}, {1, {1, 1}}}) == 2);
  CHECK(sumOf({{1, {1, 3}}, {1, {1, 3}}}) == 1);
  CHECK(sumOf({{int64_t{1} << 60, {7, 9}}, {int64_t{1} << 60, {2, 9}}}) == int64_t{1} << 60);
  amdahlc::ScaledSum thirds, twice;
  thirds.add(100, Rational::of(1, 3));
  twice.add(thirds, Rational::of(2));
  twice.add(thirds, Rational::of(1));
  CHECK(twice.rounded() == 100);
  twice -= thirds;
  CHECK(twice.toDouble() == doctest::Approx(200.0 / 3));
}
