#include "support/byte_rate.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>

#include "support/decimal_time.h"

namespace amdahlc {

std::optional<int64_t> parseByteRate(std::string_view text) {
  struct Unit {
    std::string_view suffix;
    int64_t bytes;
    /// Of a unit beyond those that a decimal number is read in.
    int64_t times = 1;
  };
  static constexpr Unit kUnits[] = {{"KiB/s", int64_t{1} << 10},
                                    {"MiB/s", int64_t{1} << 20},
                                    {"GiB/s", int64_t{1} << 30},
                                    {"TiB/s", int64_t{1} << 30, 1 << 10},
                                    {"kB/s", 1000},
                                    {"KB/s", 1000},
                                    {"MB/s", 1'000'000},
                                    {"GB/s", 1'000'000'000},
                                    {"TB/s", 1'000'000'000, 1000},
                                    {"B/s", 1}};
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    std::string_view number = text.substr(0, text.size() - unit.suffix.size());
    while (!number.empty() && number.back() == ' ') number.remove_suffix(1);
    if (number.starts_with('-')) return std::nullopt;
    // A decimal number times a whole unit, as for times.
    const auto bytes = parseDecimalNs(number, unit.bytes);
    if (!bytes || *bytes > std::numeric_limits<int64_t>::max() / unit.times) return std::nullopt;
    return *bytes * unit.times;
  }
  return std::nullopt;
}

std::string formatByteRate(int64_t bytesPerS) {
  static constexpr std::string_view kUnits[] = {"B/s", "kB/s", "MB/s", "GB/s"};
  size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytesPerS != 0 && bytesPerS % 1000 == 0) {
    bytesPerS /= 1000;
    ++unit;
  }
  return fmt::format("{}{}", bytesPerS, kUnits[unit]);
}

}  // namespace amdahlc
