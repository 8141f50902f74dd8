/// Counts with their noun, for messages and reports.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace amdahlc {

/// `3 kernels`, `1 kernel`, `0 kernels`. Precondition: the plural of `noun` ends in `s`.
std::string plural(std::integral auto count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

}  // namespace amdahlc
