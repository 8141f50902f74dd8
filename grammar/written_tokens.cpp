#include "grammar/written_tokens.h"

#include "grammar/syntax_errors.h"

namespace amdahlc::grammar {
namespace {

constexpr size_t kMaxQuoted = 40;

}  // namespace

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool WrittenTokens::isWord(size_t at) const { return isWordToken(type(at)); }

SourceRange WrittenTokens::range(size_t at) const {
  const antlr4::Token& token = *tokens_[at];
  const auto size = static_cast<uint32_t>(text_.size());
  if (token.getType() == antlr4::Token::EOF) return {buffer_, size, size};
  return rangeOf(buffer_, token);
}

std::string WrittenTokens::written(size_t at) const {
  const SourceRange where = range(at);
  return std::string(text_.substr(where.begin, where.end - where.begin));
}

std::string WrittenTokens::found(size_t at) const {
  if (isEnd(at)) return "the end of the file";
  std::string text = written(at);
  if (text.size() > kMaxQuoted) text = text.substr(0, kMaxQuoted) + "...";
  return "`" + text + "`";
}

std::string setApart(std::string_view word, std::string_view text, SourceRange replaced) {
  std::string out(word);
  if (word.empty()) return out;
  if (replaced.end < text.size() && isWordCharacter(word.back()) && isWordCharacter(text[replaced.end])) out += ' ';
  if (replaced.begin > 0 && isWordCharacter(word.front()) && isWordCharacter(text[replaced.begin - 1])) out = ' ' + out;
  return out;
}

}  // namespace amdahlc::grammar
