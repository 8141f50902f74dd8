#include "support/printable.h"

namespace amdahlc {
namespace {

/// The length of a control character in UTF-8 at the start of `text`, 0 for any other: C0, DEL, C1 (U+0080 to U+009F,
/// which some terminals interpret like escape sequences), and the marks that change the direction of text (U+202A to
/// U+202E, U+2066 to U+2069).
size_t controlLength(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return 2;
  if (byte(0) == 0xE2 && byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) return 3;
  if (byte(0) == 0xE2 && byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9) return 3;
  return 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t control = controlLength(text);
    out += control == 0 ? text.front() : '?';
    text.remove_prefix(control == 0 ? 1 : control);
  }
  return out;
}

}  // namespace amdahlc
