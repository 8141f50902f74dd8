#include "grammar/lsp/text_positions.h"

#include <algorithm>
#include <utility>

#include "support/utf8.h"

namespace amdahlc::lsp {

Character firstCharacter(std::string_view text, PositionEncoding encoding) {
  const auto bytes = static_cast<uint32_t>(std::max<size_t>(utf8::sequenceLength(text), 1));
  // Those outside the basic plane have four bytes, and a pair of units.
  return {bytes, encoding == PositionEncoding::Utf8 ? bytes : bytes == 4 ? 2u : 1u};
}

TextPositions::TextPositions(std::string_view text, PositionEncoding encoding) : text_(text), encoding_(encoding) {
  constexpr uint32_t kBytesBetweenMarks = 256;
  const auto size = static_cast<uint32_t>(text.size());
  Position position;
  lineStarts_.push_back(0);
  marks_.push_back({});
  for (uint32_t i = 0; i < size;) {
    if (i - marks_.back().offset >= kBytesBetweenMarks) marks_.push_back({i, position});
    const Character character = firstCharacter(text.substr(i), encoding);
    const bool ends = text[i] == '\n' || (text[i] == '\r' && (i + 1 == size || text[i + 1] != '\n'));
    i += character.bytes;
    position.character += character.units;
    if (!ends) continue;
    position = {position.line + 1, 0};
    lineStarts_.push_back(i);
    marks_.push_back({i, position});
  }
}

uint32_t TextPositions::lineEnd(uint32_t line) const {
  const uint32_t begin = lineStarts_[line];
  uint32_t end = line + 1 < lineStarts_.size() ? lineStarts_[line + 1] : static_cast<uint32_t>(text_.size());
  // No line has more than one end.
  if (end > begin && text_[end - 1] == '\n') --end;
  if (end > begin && text_[end - 1] == '\r') --end;
  return end;
}

Position TextPositions::at(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::ranges::upper_bound(marks_, offset, {}, &Mark::offset);
  uint32_t from = std::prev(next)->offset;
  Position out = std::prev(next)->position;
  const uint32_t end = std::min(offset, lineEnd(out.line));
  while (from < end) {
    const Character character = firstCharacter(text_.substr(from), encoding_);
    from += character.bytes;
    if (from <= end) out.character += character.units;
  }
  return out;
}

uint32_t TextPositions::offset(Position position) const {
  if (position.line >= lineStarts_.size()) return static_cast<uint32_t>(text_.size());
  const auto next =
      std::upper_bound(marks_.begin(), marks_.end(), position, [](const Position& wanted, const Mark& mark) {
        return std::pair(wanted.line, wanted.character) < std::pair(mark.position.line, mark.position.character);
      });
  uint32_t offset = std::prev(next)->offset;
  uint32_t units = std::prev(next)->position.character;
  const uint32_t end = lineEnd(position.line);
  while (offset < end) {
    const Character character = firstCharacter(text_.substr(offset), encoding_);
    units += character.units;
    if (units > position.character) break;
    offset += character.bytes;
  }
  return std::min(offset, end);
}

}  // namespace amdahlc::lsp
