/// The text of a JSON document, window by window, with its structural characters. Memory is bounded by the window,
/// which stays in the processor's cache. Internal to the readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "runs/files/json_cursor.h"
#include "support/byte_source.h"

namespace amdahlc::trace {

enum class JsonText : uint8_t {
  Valid,
  /// It ends inside a string.
  OpenString,
  /// It is not UTF-8, or has control characters in a string.
  Invalid,
};

/// Finds structural characters by simdjson's first stage.
class JsonIndexer {
 public:
  JsonIndexer();
  ~JsonIndexer();
  JsonIndexer(const JsonIndexer&) = delete;
  JsonIndexer& operator=(const JsonIndexer&) = delete;

  /// Of a text that begins outside of strings and ends outside of tokens. `text[size]` must be a zero byte. Nothing is
  /// found in a text that is not valid.
  JsonText index(const char* text, size_t size);
  JsonCursor cursor(const char* text) const;

 private:
  struct Stage;
  std::unique_ptr<Stage> stage_;
};

class JsonWindows {
 public:
  /// `source` must outlive it.
  explicit JsonWindows(ByteSource& source);

  /// Drops the first `count` bytes of the window, reads on, and indexes. If nothing is dropped from a full window, it
  /// grows. False if it cannot grow further.
  bool slide(size_t count);

  /// Ends the window at `size`, before its present end.
  void cutAt(size_t size);

  /// Whether the structural characters of the window are known: they are not if its text is damaged.
  bool isIndexed() const { return state_ == JsonText::Valid; }
  JsonText state() const { return state_; }
  /// At the first structural character. Valid until the next `slide`.
  JsonCursor cursor() const { return indexer_.cursor(buffer_.data()); }
  /// Up to where the window is indexed: behind a line or a token.
  std::string_view text() const { return {buffer_.data(), cut_}; }
  /// Whether the document ends with the window.
  bool atEnd() const { return ended_ && cut_ == size_; }
  /// Whether the source has no more bytes. Some of them may be behind the window.
  bool isExhausted() const { return ended_; }
  /// Of the window's first byte in the document.
  uint64_t offset() const { return offset_; }
  uint64_t offsetOf(const char* place) const { return offset_ + static_cast<uint64_t>(place - buffer_.data()); }

 private:
  /// Behind the last line of the window; nullopt if there is none, or an early one only.
  std::optional<size_t> lastLine() const;
  size_t lastQuote() const;
  size_t lastString() const;
  void index(size_t cut);

  ByteSource& source_;
  std::vector<char> buffer_;
  size_t size_ = 0;
  size_t cut_ = 0;
  /// The byte that the zero at the cut replaced.
  char covered_ = '\0';
  uint64_t offset_ = 0;
  bool ended_ = false;
  JsonText state_ = JsonText::Valid;
  JsonIndexer indexer_;
};

}  // namespace amdahlc::trace
