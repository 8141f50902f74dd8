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

}  // namespace amdahlc
