#include "lsp/text_positions.h"

#include <algorithm>

#include "support/utf8.h"

namespace amdahlc::lsp {
namespace {

struct Character {
  uint32_t bytes = 0;
  uint32_t units = 0;
};

/// The character at the start of a text that is not empty. A byte that is not UTF-8 is a character.
Character first(std::string_view text, PositionEncoding encoding) {
  const auto bytes = static_cast<uint32_t>(std::max<size_t>(utf8::sequenceLength(text), 1));
  // Those outside the basic plane have four bytes, and a pair of units.
  return {bytes, encoding == PositionEncoding::Utf8 ? bytes : bytes == 4 ? 2u : 1u};
}

}  // namespace

TextPositions::TextPositions(std::string_view text, PositionEncoding encoding) : text_(text), encoding_(encoding) {
  lineStarts_.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')))
      lineStarts_.push_back(static_cast<uint32_t>(i + 1));
}

uint32_t TextPositions::lineEnd(size_t line) const {
  const uint32_t begin = lineStarts_[line];
  uint32_t end = line + 1 < lineStarts_.size() ? lineStarts_[line + 1] : static_cast<uint32_t>(text_.size());
  while (end > begin && (text_[end - 1] == '\n' || text_[end - 1] == '\r')) --end;
  return end;
}

Position TextPositions::at(uint32_t offset) const {
  const auto next =
      std::upper_bound(lineStarts_.begin(), lineStarts_.end(), std::min(offset, static_cast<uint32_t>(text_.size())));
  const auto line = static_cast<size_t>(next - lineStarts_.begin()) - 1;
  const uint32_t end = std::min(offset, lineEnd(line));
  Position out{static_cast<uint32_t>(line), 0};
  for (uint32_t i = lineStarts_[line]; i < end;) {
    const Character character = first(text_.substr(i), encoding_);
    i += character.bytes;
    if (i <= end) out.character += character.units;
  }
  return out;
}

uint32_t TextPositions::offset(Position position) const {
  if (position.line >= lineStarts_.size()) return static_cast<uint32_t>(text_.size());
  const uint32_t end = lineEnd(position.line);
  uint32_t offset = lineStarts_[position.line];
  for (uint32_t units = 0; offset < end;) {
    const Character character = first(text_.substr(offset), encoding_);
    units += character.units;
    if (units > position.character) break;
    offset += character.bytes;
  }
  return offset;
}

}  // namespace amdahlc::lsp
