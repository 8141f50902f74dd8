#include "support/bytes.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <limits>

#include "support/decimal_time.h"

namespace amdahlc {

std::optional<int64_t> parseBytes(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 0) return std::nullopt;
  std::string_view unit(stopped, static_cast<size_t>(end - stopped));
  if (unit.empty() || unit == "B") return number;
  const size_t power = std::string_view("KMGT").find(unit.front());
  unit.remove_prefix(1);
  if (power == std::string_view::npos || !(unit.empty() || unit == "iB")) return std::nullopt;
  const auto shift = static_cast<int>(10 * (power + 1));
  if (number > std::numeric_limits<int64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

std::string formatBytesExactly(uint64_t bytes) {
  if (bytes >= 1u << 30 && bytes % (1u << 30) == 0) return fmt::format("{} GiB", bytes >> 30);
  if (bytes >= 1u << 20 && bytes % (1u << 20) == 0) return fmt::format("{} MiB", bytes >> 20);
  return fmt::format("{} bytes", bytes);
}

std::string formatBytesRounded(int64_t bytes) {
  static constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

std::optional<int64_t> parseByteRate(std::string_view text) {
  static constexpr UnitSuffix kUnits[] = {{"KiB/s", int64_t{1} << 10},
                                          {"MiB/s", int64_t{1} << 20},
                                          {"GiB/s", int64_t{1} << 30},
                                          {"TiB/s", int64_t{1} << 40},
                                          {"kB/s", 1000},
                                          {"KB/s", 1000},
                                          {"MB/s", 1'000'000},
                                          {"GB/s", 1'000'000'000},
                                          {"TB/s", 1'000'000'000'000},
                                          {"B/s", 1}};
  return parseInUnits(text, kUnits);
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
