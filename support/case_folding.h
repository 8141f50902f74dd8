/// Upper and lower case of ASCII, independent of the locale. Other bytes are compared unchanged.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace amdahlc {

constexpr char toLower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string toLower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = toLower(c);
  return out;
}

constexpr bool equalIgnoringCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return toLower(x) == toLower(y); });
}

}  // namespace amdahlc
