#include "support/text_encoding.h"

#include <fmt/format.h>

#include "support/utf8.h"

namespace amdahlc {

bool checkEncoding(DiagId id, BufferId buffer, std::string_view text, DiagnosticEngine& diagnostics) {
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8::sequenceLength(text.substr(i));
    if (length == 0 || text[i] == '\0') {
      const auto at = static_cast<uint32_t>(i);
      diagnostics.error(
          id, SourceRange{buffer, at, at + 1},
          fmt::format("byte {} is 0x{:02x}, which is not UTF-8 text", i, static_cast<unsigned char>(text[i])));
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace amdahlc
