/// Lists of names and of other things in a line, and the digits in names.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

namespace amdahlc {

template <size_t N>
bool contains(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

template <size_t N>
bool startsWithOneOf(const std::string_view (&prefixes)[N], std::string_view name) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
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

/// The first few of a list in a line, each described by `text`, and how many more there are: `3, 5, 8 and 2 more`.
template <typename Items, typename Text>
std::string firstFew(const Items& all, const Text& text, size_t most = 5) {
  std::string out;
  size_t shown = 0;
  for (const auto& item : all) {
    if (shown == most) return out.append(" and ").append(std::to_string(all.size() - most)).append(" more");
    out.append(shown++ == 0 ? "" : ", ").append(text(item));
  }
  return out;
}

}  // namespace amdahlc
