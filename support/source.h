/// Source text that locations point into: rule files, IR text, pipeline text, option files.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace amdahlc {

/// Index of a buffer in its `SourceManager`.
using BufferId = uint32_t;

/// A half-open range of bytes of one buffer.
struct SourceRange {
  BufferId buffer = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

/// The place of a part of `text`, which is written in `whole`. Only a text that stands there as it is, without escapes,
/// has places of its own for its parts; for another one it is the whole.
SourceRange placeOf(std::string_view part, std::string_view text, SourceRange whole);

/// One-based line and one-based column (in bytes).
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// Owns every text that a diagnostic may quote. Buffers live as long as the manager; ids are dense.
class SourceManager {
 public:
  /// `name` is for messages: a path, or a name in angle brackets such as `<pipeline>`.
  BufferId add(std::string name, std::string text);
  /// A buffer of its own for a part of another one, such as a text in another language. Its offsets begin with the
  /// part; its name, lines and columns are those of the whole.
  BufferId addPart(SourceRange part);
  /// Ids are 0 to `size() - 1`.
  size_t size() const { return buffers_.size(); }
  std::string_view name(BufferId id) const { return buffers_.at(id).name; }
  std::string_view text(BufferId id) const;
  LineColumn lineColumn(BufferId id, uint32_t offset) const;
  /// The text of a one-based line without its line end; empty past the last.
  std::string_view line(BufferId id, uint32_t line) const;

 private:
  struct Buffer {
    std::string name;
    std::string text;
    std::vector<uint32_t> lineStarts;
    /// Of a part: where it is. It has no text of its own.
    std::optional<SourceRange> part = std::nullopt;
  };
  // Stable addresses, because views refer to the texts.
  std::deque<Buffer> buffers_;
};

}  // namespace amdahlc
