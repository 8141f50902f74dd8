#include "support/byte_rate.h"

#include <fmt/format.h>

#include <iterator>

#include "support/decimal_time.h"

namespace amdahlc {

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
