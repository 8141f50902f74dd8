/// The tokens of a file as a stream, and with the text that they stand for. Private to this component.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antlr4-runtime.h"
#include "support/source.h"

namespace amdahlc::grammar {

inline SourceRange rangeOf(BufferId buffer, const antlr4::Token& token) {
  return {buffer, static_cast<uint32_t>(token.getStartIndex()), static_cast<uint32_t>(token.getStopIndex() + 1)};
}

/// A stream over tokens that lie in memory. The last one is the end of the file.
class TokenView : public antlr4::TokenStream {
 public:
  explicit TokenView(std::vector<antlr4::Token*> tokens) : tokens_(std::move(tokens)) {}

  antlr4::Token* LT(ssize_t k) override {
    const ssize_t at = static_cast<ssize_t>(at_) + (k > 0 ? k - 1 : k);
    if (at < 0) return nullptr;
    return tokens_[std::min(static_cast<size_t>(at), tokens_.size() - 1)];
  }
  size_t LA(ssize_t k) override { return LT(k)->getType(); }
  void consume() override { ++at_; }
  size_t index() override { return at_; }
  void seek(size_t index) override { at_ = std::min(index, tokens_.size() - 1); }
  size_t size() override { return tokens_.size(); }
  antlr4::Token* get(size_t index) const override { return tokens_[index]; }
  ssize_t mark() override { return 0; }
  void release(ssize_t) override {}

  // The text is read from the file, and no token is made by the parser.
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval&) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext*) override { return {}; }
  std::string getText(antlr4::Token*, antlr4::Token*) override { return {}; }

 private:
  std::vector<antlr4::Token*> tokens_;
  size_t at_ = 0;
};

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
