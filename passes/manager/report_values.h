/// Formats values in a report: numbers that may be absent, nanoseconds with fractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/id.h"

namespace amdahlc {

/// Predictions may have fractions. A whole number of nanoseconds is written as an integer.
inline nlohmann::ordered_json nanoseconds(double ns) {
  // Of 64 bits, in double.
  constexpr double kLimit = 9.2e18;
  if (!(ns > -kLimit && ns < kLimit)) return nlohmann::ordered_json(ns);
  const auto whole = static_cast<int64_t>(ns);
  return static_cast<double>(whole) == ns ? nlohmann::ordered_json(whole) : nlohmann::ordered_json(ns);
}

inline std::string formatPercent(double ratio) { return fmt::format("{:.1f} %", 100 * ratio); }

/// A speed-up factor, or that there is no limit.
inline std::string times(const std::optional<double>& factor) {
  return factor ? fmt::format("{:.4f}x", *factor) : "inf";
}

}  // namespace amdahlc
