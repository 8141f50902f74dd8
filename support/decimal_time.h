/// Decimal text as whole numbers: times of profilers and of users as nanoseconds, other numbers with a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace amdahlc {

/// Reads a JSON number as text (`1712.345`, `17e2`, `-3`) and multiplies by `unitNs` (1000 for microseconds). Digits
/// below one nanosecond are rounded half to even. It reads text, because a double stores an absolute epoch time only to
/// 0.25 us. nullopt if the text is not a number, or beyond 64 bits.
std::optional<int64_t> parseDecimalNs(std::string_view text, int64_t unitNs);

/// A whole number in decimal digits, with `-` before a negative one. nullopt for other text, and beyond 64 bits.
std::optional<int64_t> parseWhole(std::string_view text);

/// How a unit ends a text, and its size in the unit of the result.
struct UnitSuffix {
  std::string_view suffix;
  int64_t size;
};
/// Reads a number that is not negative, as `parseDecimalNs` does, in the first unit that the text ends with. Blanks may
/// stand before the unit. nullopt for other text, and beyond 64 bits.
std::optional<int64_t> parseInUnits(std::string_view text, std::span<const UnitSuffix> units);

/// Reads a duration with its unit: `10us`, `1.5 ms`, `300ns`, `2s`. nullopt for anything else.
std::optional<int64_t> parseDuration(std::string_view text);

/// Rounded half away from zero; beyond 64 bits the nearest number that fits.
int64_t roundedNs(double ns);

/// Microseconds with three decimals, exact: 1234567 -> `1234.567`.
std::string formatUs(int64_t ns);
/// The same of a time with fractions of a nanosecond, rounded.
std::string formatFractionalUs(double ns);
/// Milliseconds with three decimals, rounded.
std::string formatMs(int64_t ns);

/// A unit of time for people to read.
struct ReadableUnit {
  std::string_view name;
  /// In ns.
  int64_t size;
  /// In this unit, without its name, with three decimals, rounded.
  std::string format(int64_t ns) const;
};
/// The largest of `us`, `ms` and `s` in which the time is at least 1; `us` for a shorter one.
ReadableUnit readableUnit(int64_t ns);
/// The time in its readable unit: `184.320 us`, `7.530 ms`.
std::string formatReadable(int64_t ns);

}  // namespace amdahlc
