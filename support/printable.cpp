#include "support/printable.h"

#include "support/utf8.h"

namespace amdahlc {
std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t control = utf8::controlLength(text);
    out += control == 0 ? text.front() : '?';
    text.remove_prefix(control == 0 ? 1 : control);
  }
  return out;
}

}  // namespace amdahlc
