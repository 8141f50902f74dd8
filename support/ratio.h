/// Ratios of numbers of which one may be 0, and their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "support/rational.h"

namespace amdahlc {

/// A speed-up or a share; nullopt if the divisor is 0 or less: no limit, or unknown.
inline std::optional<double> quotient(double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; }

/// A part of a whole; 0 where there is no whole.
inline double shareOf(int64_t part, int64_t whole) {
  return quotient(static_cast<double>(part), static_cast<double>(whole)).value_or(0);
}

/// In percent, rounded once; 0 where there is no whole.
inline double percentOf(int64_t part, int64_t whole) {
  return whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

inline std::string formatPercent(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }
/// A change: `+1.25 %`.
inline std::string formatChange(double ratio, int decimals = 2) {
  return fmt::format("{:+.{}f} %", 100 * ratio, decimals);
}

/// A speed-up factor with four decimals, `1.5000x`, or that there is no limit: `inf`.
inline std::string formatSpeedup(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.4f}x", *factor) : "inf";
}
/// The same with four digits, for pictures: `1.5x`, or the sign of infinity.
inline std::string formatShortSpeedup(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.4g}x", *factor) : "\u221e";
}
/// The speed-up by a new time / old time, with four decimals at most and no `x`, as users write it: `2`, `1.5`, `inf`.
inline std::string formatBareSpeedup(const Rational& newTime) {
  if (newTime.isZero()) return "inf";
  std::string text = fmt::format("{:.4f}", 1 / newTime.toDouble());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

}  // namespace amdahlc
