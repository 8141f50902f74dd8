/// The tokens of a file with the text that they stand for. Private to this component.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// A view: the tokens may change under it. The last one is the end of the file.
class WrittenTokens {
 public:
  WrittenTokens(const std::vector<antlr4::Token*>& tokens, BufferId buffer, std::string_view text)
      : tokens_(tokens), buffer_(buffer), text_(text) {}

  BufferId buffer() const { return buffer_; }
  std::string_view text() const { return text_; }
  bool isEnd(size_t at) const { return at + 1 >= tokens_.size(); }
  size_t type(size_t at) const { return tokens_[at]->getType(); }
  /// Whether the token is a name or a keyword.
  bool isWord(size_t at) const;
  bool beginsLine(size_t at) const { return at == 0 || tokens_[at - 1]->getLine() < tokens_[at]->getLine(); }
  SourceRange range(size_t at) const;
  std::string written(size_t at) const;
  /// The token as messages name what is there: in backticks, a long one only in part.
  std::string found(size_t at) const;

 private:
  const std::vector<antlr4::Token*>& tokens_;
  BufferId buffer_;
  std::string_view text_;
};

/// Whether the character can be part of a word or a number.
bool isWordCharacter(char c);

/// `word` with a blank on each side on which it would touch a word or a number when it replaces a part of the text.
std::string setApart(std::string_view word, std::string_view text, SourceRange replaced);

}  // namespace amdahlc::grammar
