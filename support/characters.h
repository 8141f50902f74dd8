/// The characters of a text, which may be wrong UTF-8: its sequences of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/utf8.h"

namespace amdahlc::utf8 {

inline size_t length(std::string_view text) { return static_cast<size_t>(std::ranges::count_if(text, startsSequence)); }

/// The first so many of them.
inline std::string_view first(std::string_view text, size_t characters) {
  const auto end = std::ranges::find_if(text, [&](char byte) { return startsSequence(byte) && characters-- == 0; });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

/// Lines of at most `limit` characters, divided at spaces where there are any.
inline std::vector<std::string> wrapped(std::string_view text, size_t limit) {
  std::vector<std::string> lines;
  for (std::string_view line = first(text, limit); line.size() < text.size(); line = first(text, limit)) {
    // A space behind the limit ends a word as well.
    const size_t space = text[line.size()] == ' ' ? line.size() : line.rfind(' ');
    const size_t end = space == std::string_view::npos || space == 0 ? line.size() : space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end < text.size() && text[end] == ' ' ? end + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace amdahlc::utf8
