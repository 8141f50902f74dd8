/// Walks over JSON by its structural characters: brackets, commas, colons, and the first characters of strings, numbers
/// and words, as simdjson's first stage finds them. Internal to the readers.
///
/// A view of a value is text of the window, with escapes as they are. Functions return false where the text is not as
/// they expect, with the cursor at the place. Behind the last structural character the cursor sees a zero: `atEnd`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "support/decimal_time.h"
#include "support/limits.h"

namespace amdahlc::trace {

/// A value that is valid JSON but not a valid trace. `place` points into the text that the cursor walks over.
struct InvalidValue : std::runtime_error {
  InvalidValue(const std::string& what, const char* where) : std::runtime_error(what), place(where) {}
  const char* place;
};

constexpr bool isJsonBlank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

class JsonCursor {
 public:
  JsonCursor() = default;
  /// `end` points to the offset behind the text, where a zero byte must be.
  JsonCursor(const char* text, const uint32_t* begin, const uint32_t* end) : text_(text), at_(begin), end_(end) {}

  bool atEnd() const { return at_ == end_; }
  char peek() const { return text_[*at_]; }
  const char* place() const { return text_ + *at_; }
  /// Of `place` in the window.
  size_t offset() const { return *at_; }
  /// Steps over the structural character `c`.
  bool take(char c) {
    if (peek() != c || atEnd()) return false;
    ++at_;
    return true;
  }

  /// A string without its quotes.
  bool string(std::string_view& out) {
    if (peek() != '"') return false;
    const char* const begin = place() + 1;
    const char* end = text_ + at_[1] - 1;
    while (end > begin && isJsonBlank(*end)) --end;
    if (end < begin || *end != '"') return false;
    out = {begin, static_cast<size_t>(end - begin)};
    ++at_;
    return true;
  }

  /// A number or word as text, or a string without its quotes.
  bool scalar(std::string_view& out) {
    switch (peek()) {
      case '"':
        return string(out);
      case '{':
      case '[':
      case '}':
      case ']':
      case ',':
      case ':':
      case '\0':
        return false;
      default:
        break;
    }
    const char* const begin = place();
    const char* end = text_ + at_[1];
    while (isJsonBlank(end[-1])) --end;
    out = {begin, static_cast<size_t>(end - begin)};
    ++at_;
    return true;
  }

  /// Any value.
  bool skip() {
    const char first = peek();
    if (first != '{' && first != '[') {
      std::string_view ignored;
      return scalar(ignored);
    }
    size_t depth = 0;
    for (; at_ != end_; ++at_) {
      const char c = peek();
      if (c == '{' || c == '[')
        ++depth;
      else if ((c == '}' || c == ']') && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  /// Any value, as text.
  bool raw(std::string_view& out) {
    const char* const begin = place();
    if (!skip()) return false;
    const char* end = atEnd() ? text_ + *end_ : place();
    while (end > begin && isJsonBlank(end[-1])) --end;
    out = {begin, static_cast<size_t>(end - begin)};
    return true;
  }

  /// Calls `field(key)` with the cursor at each value of an object. `field` must step over the value, or return false.
  template <typename Field>
  bool object(Field&& field) {
    if (!take('{')) return false;
    if (take('}')) return true;
    for (;;) {
      std::string_view key;
      if (!string(key) || !take(':') || !field(key)) return false;
      if (take('}')) return true;
      if (!take(',')) return false;
    }
  }

  /// Calls `element()` with the cursor at each element of an array. `element` must step over it, or return false.
  template <typename Element>
  bool array(Element&& element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    for (;;) {
      if (!element()) return false;
      if (take(']')) return true;
      if (!take(',')) return false;
    }
  }

 private:
  const char* text_ = "";
  const uint32_t* at_ = nullptr;
  const uint32_t* end_ = nullptr;
};

/// What is kept of a text for a name: an escape has at most six bytes for one, and two of them may be one character.
inline constexpr size_t kReadNameBytes = 6 * limits::kNameBytes + 12;

/// The beginning of a string of JSON, of at most `bytes` bytes. It ends inside no character and inside no escape.
std::string_view beginningOfJson(std::string_view text, size_t bytes);

/// The text of a scalar, if it is long its beginning. A value of another kind counts as absent. False if the text is
/// damaged.
inline bool readText(JsonCursor& cursor, std::string_view& text) {
  if (cursor.peek() == '{' || cursor.peek() == '[') return cursor.skip();
  if (!cursor.scalar(text)) return false;
  if (text.size() > kReadNameBytes) text = beginningOfJson(text, kReadNameBytes);
  return true;
}

/// The same of an integer; -1 for any other scalar.
inline bool readInteger(JsonCursor& cursor, int64_t& number) {
  std::string_view text;
  if (!readText(cursor, text)) return false;
  number = parseWhole(text).value_or(-1);
  return true;
}

/// A string of JSON without its escapes. A string with an invalid escape stays as it is.
std::string unescapedJson(std::string_view text);

/// Whether the text between two quotes is what a writer makes of a string that it escapes. Control characters have no
/// short escapes here: names hold backslashes rather than line ends, and `C:\net` is one of a writer that escapes
/// nothing.
bool isEscapedName(std::string_view text);

/// A name without escapes if its writer escaped it, else as written.
std::string nameOf(std::string_view text);

}  // namespace amdahlc::trace
