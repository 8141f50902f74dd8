/// Positions of the protocol, a line and a character, and offsets of bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace amdahlc::lsp {

/// What a character of a position counts: bytes, or code units of UTF-16.
enum class PositionEncoding : uint8_t { Utf8, Utf16 };

/// Both from 0.
struct Position {
  uint32_t line = 0;
  uint32_t character = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// What a text and a position have at one place.
struct Character {
  uint32_t bytes = 0;
  uint32_t units = 0;
};

/// The character at the start of a text that is not empty. A byte that is not UTF-8 is a character.
Character firstCharacter(std::string_view text, PositionEncoding encoding);

/// The lines of a text, which must outlive it. They end with `\n`, `\r\n` or `\r`. The time to find a place depends on
/// neither the text nor the line.
class TextPositions {
 public:
  TextPositions(std::string_view text, PositionEncoding encoding);

  /// An offset inside a character is that of its beginning; one beyond the text, that of its end.
  Position at(uint32_t offset) const;
  /// A character beyond its line is the end of the line; a line beyond the text is the end of the text.
  uint32_t offset(Position position) const;

 private:
  /// A place that is known: the start of a line, and every so many bytes in it.
  struct Mark {
    uint32_t offset = 0;
    Position position;
  };

  uint32_t lineEnd(uint32_t line) const;

  std::string_view text_;
  PositionEncoding encoding_;
  std::vector<uint32_t> lineStarts_;
  /// In the order of the text.
  std::vector<Mark> marks_;
};

}  // namespace amdahlc::lsp
