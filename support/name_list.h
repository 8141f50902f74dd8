/// Lists of names, and the digits in names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace amdahlc {

template <size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <size_t N>
bool startsWithOneOf(const std::string_view (&prefixes)[N], std::string_view name) {
  return std::any_of(std::begin(prefixes), std::end(prefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Whether the text is a number: one digit or more, and nothing else.
inline bool isDigits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// `` `a`, `b` ``, of many names the first eight: `` `a`, `b`, ... ``.
template <typename Names>
std::string firstNames(const Names& names) {
  constexpr size_t kMostNames = 8;
  std::string out;
  size_t shown = 0;
  for (const auto& name : names) {
    if (shown == kMostNames) return out + ", ...";
    out.append(shown++ == 0 ? "`" : ", `").append(name).append("`");
  }
  return out;
}

}  // namespace amdahlc
