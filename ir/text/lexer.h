/// Tokens of the text form.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/utf8.h"

namespace amdahlc::ir {

struct Token {
  enum class Kind : uint8_t {
    /// See escape.h.
    Name,
    /// In double quotes, escapes not yet read.
    String,
    Integer,
    Float,
    Punctuation,
    /// A byte that starts no token, or an unfinished string.
    Bad,
    End,
  };
  Kind kind = Kind::End;
  /// Byte offsets in the buffer.
  uint32_t begin = 0;
  uint32_t end = 0;
  std::string_view text;
};

/// Reads tokens on demand. White space and `//` comments separate tokens and are otherwise ignored.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {
    if (text.starts_with(utf8::kByteOrderMark)) at_ = static_cast<uint32_t>(utf8::kByteOrderMark.size());
  }

  Token next();
  /// Continues at `offset`, after text that another parser reads (types).
  void moveTo(uint32_t offset) { at_ = offset; }
  std::string_view text() const { return text_; }

 private:
  void skipBlanks();
  Token make(Token::Kind kind, uint32_t begin) const { return {kind, begin, at_, text_.substr(begin, at_ - begin)}; }
  Token number();
  Token quoted();
  char peek(uint32_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view text_;
  uint32_t at_ = 0;
};

}  // namespace amdahlc::ir
