/// Reads the text form token by token: what the parser of the module and the facets share. Recovers by lines: after a
/// syntax error, reading continues at the next line of the innermost block, until there are too many errors. A block
/// that begins on the line of the error is skipped.
/// Private to this component.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ids.h"
#include "ir/type.h"
#include "replay/timeline/time_limits.h"
#include "support/diagnostic.h"
#include "support/rational.h"
#include "support/source.h"
#include "support/utf8.h"

namespace amdahlc::ir {

/// A token of the text form.
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

class TextReader {
 public:
  TextReader(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

  // Tokens.
  bool at(std::string_view text) const;
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  bool atEnd() const { return token_.kind == Token::Kind::End; }
  /// Where the next token stands.
  SourceRange here() const { return range(token_); }

  // Errors. After `fail` every token is the end of the text until the innermost block recovers.
  void fail(const std::string& message);
  void failAt(SourceRange where, const std::string& message);
  /// "expected one of `words`", with a suggestion where a name was read.
  void failExpected(const std::vector<std::string_view>& words);
  bool failed() const { return panicking_; }
  /// A name that nothing defines: an error that skips nothing.
  void unknown(SourceRange where, const std::string& message);

  // Leaves: what is read is described by `what`, as in "expected `what`".
  int64_t integer(const char* what);
  /// An integer from `least` to `most`, both included.
  int64_t integerWithin(const char* what, int64_t least, int64_t most);
  int64_t nonNegative(const char* what) { return integerWithin(what, 0, INT64_MAX); }
  /// Times and durations within the limits of `replay/timeline/time_limits.h`.
  int64_t timeNs() { return integerWithin("a time in ns", -kMaxTimeNs, kMaxTimeNs); }
  int64_t durationNs() { return integerWithin("a duration in ns", 0, kMaxTimeNs); }
  std::vector<int64_t> durationsNs();
  uint32_t index(const char* what);
  template <typename IdType>
  IdType id(const char* what) {
    return IdType(index(what));
  }
  /// Reads the number that comes next in a list. Another one is an error, which calls it `noun`; then false.
  bool ordinal(const char* what, std::string_view noun, size_t next);
  double real(const char* what);
  std::string string(const char* what);
  std::string nameOrString(const char* what);
  Type type();
  std::vector<int64_t> integers(const char* what);
  std::vector<KernelId> kernelIds();
  std::optional<Rational> rational(const char* what);

  /// `{`, statements, `}`; a statement that fails is skipped to the end of its line.
  template <typename Statement>
  void block(const Statement& statement);
  /// `open`, elements separated by commas, `close`.
  template <typename Element>
  void list(const Element& element, std::string_view open = "[", std::string_view close = "]");

 protected:
  SourceRange range(const Token& token) const { return {buffer_, token.begin, token.end}; }
  void advance();
  void skipLine();
  bool recover();

  BufferId buffer_;
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Lexer lexer_;
  Token token_;
  bool panicking_ = false;
  /// Where reading goes on after a failure.
  uint32_t resumeAt_ = 0;
  size_t syntaxErrors_ = 0;
  size_t errorsBefore_ = 0;
};

template <typename Statement>
void TextReader::block(const Statement& statement) {
  expect("{");
  while (!panicking_ && !accept("}")) {
    if (atEnd()) {
      fail("expected `}`");
      return;
    }
    statement();
    if (panicking_ && !recover()) return;
  }
}

template <typename Element>
void TextReader::list(const Element& element, std::string_view open, std::string_view close) {
  expect(open);
  if (accept(close)) return;
  while (!panicking_) {
    element();
    if (accept(close)) return;
    if (!accept(",")) {
      fail("expected `,` or `" + std::string(close) + "`");
      return;
    }
  }
}

}  // namespace amdahlc::ir
