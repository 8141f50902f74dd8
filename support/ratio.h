/// Ratios of numbers of which one may be 0, and their text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <fmt/format.h>

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

/// A speed-up factor, or that there is no limit.
inline std::string times(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.4f}x", *factor) : "inf";
}

}  // namespace amdahlc
