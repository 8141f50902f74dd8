#include "support/decimal_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

namespace amdahlc {
namespace {

__extension__ typedef unsigned __int128 UInt128;

constexpr int64_t kMicrosecondNs = 1000;
// Beyond this exponent every value is zero or too large. Bounds the cost of an exponent.
constexpr int kMaxExponent = 100000;
// Times a unit below 1e10 they fit 128 bits. Further digits only decide a tie.
constexpr size_t kMaxDigits = 28;

UInt128 powerOfTen(int exponent) {
  UInt128 value = 1;
  while (exponent-- > 0) value *= 10;
  return value;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// A decimal number: digits * 10^exponent; `more` is set if non-zero digits follow those kept.
struct Decimal {
  bool negative = false;
  UInt128 digits = 0;
  size_t digitCount = 0;
  int exponent = 0;
  bool more = false;
};

std::optional<Decimal> readDecimal(std::string_view text) {
  Decimal out;
  size_t at = 0;
  if (at < text.size() && text[at] == '-') {
    out.negative = true;
    ++at;
  }
  const auto readDigits = [&](bool fraction) {
    const size_t begin = at;
    for (; at < text.size() && isDigit(text[at]); ++at) {
      const auto digit = static_cast<unsigned>(text[at] - '0');
      if (out.digits == 0 && digit == 0) {
        if (fraction) --out.exponent;
      } else if (out.digitCount < kMaxDigits) {
        out.digits = out.digits * 10 + digit;
        ++out.digitCount;
        if (fraction) --out.exponent;
      } else {
        out.more |= digit != 0;
        if (!fraction) ++out.exponent;
      }
      if (out.exponent > kMaxExponent || out.exponent < -kMaxExponent) return false;
    }
    return at > begin;
  };
  if (!readDigits(false)) return std::nullopt;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!readDigits(true)) return std::nullopt;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    bool negative = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
    const size_t begin = at;
    int exponent = 0;
    for (; at < text.size() && isDigit(text[at]); ++at)
      if (exponent <= kMaxExponent) exponent = exponent * 10 + (text[at] - '0');
    if (at == begin) return std::nullopt;
    out.exponent += negative ? -exponent : exponent;
  }
  if (at != text.size()) return std::nullopt;
  return out;
}

/// What profilers write almost always: up to 16 digits, then up to 3 decimals, of microseconds: a whole
/// number of nanoseconds. nullopt for any other text.
std::optional<int64_t> readPlainMicroseconds(std::string_view text) {
  constexpr size_t kMaxWholeDigits = 16;
  constexpr int64_t kMaxWhole = INT64_MAX / 1000 - 1;
  constexpr size_t kMaxDecimals = 3;
  constexpr int64_t kDecimalsNs[kMaxDecimals + 1] = {1000, 100, 10, 1};
  const bool negative = text.starts_with('-');
  size_t at = negative ? 1 : 0;
  int64_t value = 0;
  const auto readDigits = [&](size_t most) {
    const size_t begin = at, end = std::min(text.size(), begin + most);
    for (; at < end && isDigit(text[at]); ++at) value = value * 10 + (text[at] - '0');
    return at - begin;
  };
  if (readDigits(kMaxWholeDigits) == 0 || value > kMaxWhole) return std::nullopt;
  size_t decimals = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    decimals = readDigits(kMaxDecimals);
    if (decimals == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  value *= kDecimalsNs[decimals];
  return negative ? -value : value;
}

}  // namespace

std::optional<int64_t> parseDecimalNs(std::string_view text, int64_t unitNs) {
  if (unitNs == kMicrosecondNs)
    if (const auto plain = readPlainMicroseconds(text)) return plain;
  constexpr auto kLimit = static_cast<UInt128>(INT64_MAX);
  std::optional<Decimal> number = readDecimal(text);
  if (!number || unitNs <= 0) return std::nullopt;
  if (number->digits == 0) return 0;
  for (; number->digits > ~UInt128{0} / static_cast<UInt128>(unitNs); number->digits /= 10, ++number->exponent)
    number->more |= number->digits % 10 != 0;

  const UInt128 scaled = number->digits * static_cast<UInt128>(unitNs);
  UInt128 magnitude = 0;
  if (number->exponent >= 0) {
    if (number->exponent > 18) return std::nullopt;
    const UInt128 power = powerOfTen(number->exponent);
    if (scaled > kLimit / power) return std::nullopt;
    magnitude = scaled * power;
  } else if (number->exponent >= -38) {
    const UInt128 power = powerOfTen(-number->exponent);
    magnitude = scaled / power;
    const UInt128 rest = scaled % power;
    const UInt128 half = power / 2;
    const bool up = rest > half || (rest == half && (number->more || (magnitude & 1) != 0));
    if (up) ++magnitude;
  }  // else below 0.5: zero
  if (magnitude > kLimit) return std::nullopt;
  const auto value = static_cast<int64_t>(magnitude);
  return number->negative ? -value : value;
}

std::optional<int64_t> parseWhole(std::string_view text) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> parseInUnits(std::string_view text, std::span<const UnitSuffix> units) {
  for (const UnitSuffix& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    text.remove_suffix(unit.suffix.size());
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text.starts_with('-') ? std::nullopt : parseDecimalNs(text, unit.size);
  }
  return std::nullopt;
}

std::optional<int64_t> parseDuration(std::string_view text) {
  static constexpr UnitSuffix kUnits[] = {{"ns", 1},         {"us", 1000},      {"\u00b5s", 1000},
                                          {"\u03bcs", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
  return parseInUnits(text, kUnits);
}

int64_t roundedNs(double ns) {
  // The largest double below 2^63.
  constexpr double kLargest = 9223372036854774784.0;
  return std::llround(std::clamp(ns, -kLargest, kLargest));
}

std::string formatUs(int64_t ns) {
  const uint64_t magnitude = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", magnitude / 1000, magnitude % 1000);
}

std::string formatFractionalUs(double ns) { return fmt::format("{:.3f}", ns / 1000); }
std::string formatMs(int64_t ns) { return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6); }

std::string ReadableUnit::format(int64_t ns) const {
  return fmt::format("{:.3f}", static_cast<double>(ns) / static_cast<double>(size));
}

ReadableUnit readableUnit(int64_t ns) {
  constexpr ReadableUnit kUnits[] = {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}};
  const auto* const unit =
      std::ranges::find_if(kUnits, [&](const ReadableUnit& one) { return ns >= one.size || ns <= -one.size; });
  return unit == std::end(kUnits) ? std::end(kUnits)[-1] : *unit;
}

std::string formatReadable(int64_t ns) {
  const ReadableUnit unit = readableUnit(ns);
  return fmt::format("{} {}", unit.format(ns), unit.name);
}

}  // namespace amdahlc
