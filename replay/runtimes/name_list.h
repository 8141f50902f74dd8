/// Lists of names of a runtime.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace amdahlc {

template <size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace amdahlc
