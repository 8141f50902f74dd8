#include "support/printable.h"

#include <algorithm>

#include "support/utf8.h"

namespace amdahlc {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t control = utf8::controlLength(text), length = utf8::sequenceLength(text);
    if (control != 0 || length == 0)
      out += '?';
    else
      out += text.substr(0, length);
    text.remove_prefix(std::max<size_t>(1, control != 0 ? control : length));
  }
  return out;
}

std::string replaced(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> replacements) {
  std::string out;
  for (const char c : text) {
    const auto found = std::ranges::find(replacements, c, &std::pair<char, std::string_view>::first);
    found == replacements.end() ? out.push_back(c) : void(out += found->second);
  }
  return out;
}

}  // namespace amdahlc
