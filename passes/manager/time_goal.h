/// A time that a run is to take: as a time, or as so many times as fast.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "support/rational.h"

namespace amdahlc {

/// One of both is set.
struct TimeGoal {
  /// Per iteration.
  std::optional<int64_t> ns;
  /// Measured over wanted time; not 0.
  std::optional<Rational> times;
  friend bool operator==(const TimeGoal&, const TimeGoal&) = default;
};

/// Reads `8ms` or `1.5x` (decimals and fractions); nullopt for other text, and for a negative time.
std::optional<TimeGoal> parseTimeGoal(std::string_view text);

}  // namespace amdahlc
