// A product of two fractions may need more than 64 bits for numerator or denominator. Both are then halved together
// until they fit. The result is within 2^-61 of the true value and never wraps around.
#include "support/rational.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "support/decimal_time.h"

namespace amdahlc {
namespace {

__extension__ typedef unsigned __int128 Wide;

Rational fit(Wide numerator, Wide denominator) {
  constexpr auto kLimit = static_cast<Wide>(INT64_MAX);
  if (numerator == 0) return {};
  while (numerator > kLimit || denominator > kLimit) {
    numerator = (numerator >> 1) + (numerator & 1);
    denominator = (denominator >> 1) + (denominator & 1);
  }
  return Rational::of(static_cast<int64_t>(numerator), static_cast<int64_t>(denominator));
}

/// Parses up to 18 digits; nullopt for other text.
std::optional<int64_t> readDigits(std::string_view text) {
  return text.size() > 18 || text.starts_with('-') ? std::nullopt : parseWhole(text);
}

}  // namespace

Rational Rational::of(int64_t numerator, int64_t denominator) {
  assert(numerator >= 0 && denominator > 0);
  const int64_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

std::optional<Rational> Rational::parse(std::string_view text) {
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    const auto numerator = readDigits(text.substr(0, slash));
    const auto denominator = readDigits(text.substr(slash + 1));
    if (!numerator || !denominator || *denominator == 0) return std::nullopt;
    return of(*numerator, *denominator);
  }
  const size_t point = text.find('.');
  if (point == std::string_view::npos) {
    const auto whole = readDigits(text);
    return whole ? std::optional(of(*whole)) : std::nullopt;
  }
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty() || point == 0) return std::nullopt;
  const auto digits = readDigits(std::string(text.substr(0, point)).append(fraction));
  if (!digits) return std::nullopt;
  int64_t denominator = 1;
  for (size_t i = 0; i < fraction.size(); ++i) denominator *= 10;
  return of(*digits, denominator);
}

std::string Rational::describe() const {
  return denominator == 1 ? fmt::format("{}", numerator) : fmt::format("{}/{}", numerator, denominator);
}

bool operator<(const Rational& a, const Rational& b) {
  return static_cast<Wide>(a.numerator) * static_cast<Wide>(b.denominator) <
         static_cast<Wide>(b.numerator) * static_cast<Wide>(a.denominator);
}

Rational operator*(const Rational& a, const Rational& b) {
  // Crosswise reduction first, so that every product with a 64-bit result is exact.
  const Rational left = Rational::of(a.numerator, b.denominator);
  const Rational right = Rational::of(b.numerator, a.denominator);
  return fit(static_cast<Wide>(left.numerator) * static_cast<Wide>(right.numerator),
             static_cast<Wide>(left.denominator) * static_cast<Wide>(right.denominator));
}

Rational operator/(const Rational& a, const Rational& b) {
  assert(!b.isZero());
  return a * Rational{b.denominator, b.numerator};
}

namespace {

constexpr int kSumPrecision = 60;
__extension__ typedef __int128 SignedWide;

/// A whole number times a factor, rounded to the nearest one. Precondition: the product fits.
SignedWide times(SignedWide whole, const Rational& factor) {
  const SignedWide rest = whole % factor.denominator * factor.numerator;
  return whole / factor.denominator * factor.numerator + (rest + factor.denominator / 2) / factor.denominator;
}

}  // namespace

void ScaledSum::add(int64_t length, const Rational& factor) {
  parts_ += times(static_cast<Parts>(length) << kSumPrecision, factor);
}

void ScaledSum::add(const ScaledSum& other, const Rational& factor) { parts_ += times(other.parts_, factor); }

ScaledSum& ScaledSum::operator-=(const ScaledSum& other) {
  parts_ -= other.parts_;
  return *this;
}

double ScaledSum::toDouble() const { return std::ldexp(static_cast<double>(parts_), -kSumPrecision); }

int64_t ScaledSum::rounded() const {
  constexpr int64_t kOne = int64_t{1} << kSumPrecision, kNothing = int64_t{1} << 30;
  const auto whole = static_cast<int64_t>(parts_ >> kSumPrecision);
  const auto rest = static_cast<int64_t>(parts_ - (static_cast<Parts>(whole) << kSumPrecision));
  if (std::abs(rest - kOne / 2) <= kNothing) return whole + (whole & 1);
  return whole + (rest > kOne / 2 ? 1 : 0);
}

}  // namespace amdahlc
