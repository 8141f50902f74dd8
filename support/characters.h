/// The characters of a text, which may be wrong UTF-8: its sequences of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "support/utf8.h"

namespace amdahlc::utf8 {

inline size_t length(std::string_view text) { return static_cast<size_t>(std::ranges::count_if(text, startsSequence)); }

/// The first so many of them.
inline std::string_view first(std::string_view text, size_t characters) {
  const auto end = std::ranges::find_if(text, [&](char byte) { return startsSequence(byte) && characters-- == 0; });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

}  // namespace amdahlc::utf8
