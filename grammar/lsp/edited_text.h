/// A text that an editor changes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/lsp/text_positions.h"

namespace amdahlc::lsp {

/// A replacement of a part of a text, or of all of it.
struct TextChange {
  struct Range {
    Position start, end;
  };
  std::optional<Range> range;
  std::string text;
};

/// The text in pieces of a bounded size. A change finds its place by what each piece has, reads one of them and writes
/// one of them, so that a thousand changes of a large text do not read all of it a thousand times.
class EditedText {
 public:
  EditedText(std::string_view text, PositionEncoding encoding);

  /// A range whose end is before its start is one from its end to its start. A position inside a character is that of
  /// its beginning; one beyond its line or the text, that of its end.
  void apply(const TextChange& change);
  size_t size() const { return size_; }
  std::string text() const;

 private:
  /// Neither empty nor ending inside a character or between `\r` and `\n`.
  struct Piece {
    std::string text;
    size_t lineEnds = 0;
    /// What positions count.
    size_t units = 0;
  };
  /// In a piece; at the end of the text in the one behind the last.
  struct Place {
    size_t piece = 0;
    size_t offset = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  std::vector<Piece> split(std::string_view text) const;
  Place placeOf(Position position) const;
  void replace(Place begin, Place end, std::string_view text);

  PositionEncoding encoding_;
  std::vector<Piece> pieces_;
  size_t size_ = 0;
};

}  // namespace amdahlc::lsp
