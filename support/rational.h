/// Exact fractions: factors and times of planned speed-ups are not rounded before they are printed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace amdahlc {

/// A non-negative fraction in lowest terms; the denominator is positive. Arithmetic runs in 128 bits.
struct Rational {
  int64_t numerator = 0;
  int64_t denominator = 1;

  static Rational of(int64_t numerator, int64_t denominator = 1);
  /// Reads `3`, `1.5`, `3/2`; nullopt for other text, for negative values and for values that do not fit 64 bits.
  static std::optional<Rational> parse(std::string_view text);

  double toDouble() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  /// `3/2`, or `3` if the denominator is 1.
  std::string describe() const;
  bool isZero() const { return numerator == 0; }
  friend bool operator==(const Rational&, const Rational&) = default;
};

bool operator<(const Rational& a, const Rational& b);
Rational operator*(const Rational& a, const Rational& b);
/// Precondition: `b` is not zero.
Rational operator/(const Rational& a, const Rational& b);

/// A sum of lengths times factors, which is rounded once. Each product is kept to 2^-60, so that the order in which
/// they are added, and how equal factors are put together, change nothing.
class ScaledSum {
 public:
  void add(int64_t length, const Rational& factor);
  /// Adds all of another sum times a factor.
  void add(const ScaledSum& other, const Rational& factor);
  ScaledSum& operator-=(const ScaledSum& other);
  double toDouble() const;
  /// Half to even. A billionth counts as nothing, so that a sum of thirds may be a half.
  int64_t rounded() const;

 private:
  __extension__ typedef __int128 Parts;
  Parts parts_ = 0;
};

}  // namespace amdahlc
