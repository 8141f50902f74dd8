#include "ir/text/lexer.h"

#include "ir/text/escape.h"

namespace amdahlc::ir {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Longer ones first.
constexpr std::string_view kPunctuation[] = {"...", "..", "->", "::", "==", "!=", "<=", ">=", "{", "}",
                                             "(",   ")",  "[",  "]",  ",",  ":",  "=",  "%",  "#", "@",
                                             "<",   ">",  "?",  "*",  "+",  "-",  "/",  "~",  "^"};

}  // namespace

void Lexer::skipBlanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (c == '/' && peek(1) == '/') {
      const size_t end = text_.find('\n', at_);
      at_ = static_cast<uint32_t>(end == std::string_view::npos ? text_.size() : end);
    } else {
      return;
    }
  }
}

Token Lexer::number() {
  const uint32_t begin = at_;
  if (text_[at_] == '-') ++at_;
  if (text_.substr(at_).starts_with("inf")) {
    at_ += 3;
    return make(Token::Kind::Float, begin);
  }
  auto kind = Token::Kind::Integer;
  while (isDigit(peek(0))) ++at_;
  if (peek(0) == '.' && isDigit(peek(1))) {
    kind = Token::Kind::Float;
    ++at_;
    while (isDigit(peek(0))) ++at_;
  }
  const bool sign = peek(1) == '+' || peek(1) == '-';
  if ((peek(0) == 'e' || peek(0) == 'E') && isDigit(peek(sign ? 2 : 1))) {
    kind = Token::Kind::Float;
    at_ += sign ? 2 : 1;
    while (isDigit(peek(0))) ++at_;
  }
  return make(kind, begin);
}

Token Lexer::quoted() {
  const uint32_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ < text_.size() && text_[at_] == '"') {
    ++at_;
    return make(Token::Kind::String, begin);
  }
  if (at_ > text_.size()) at_ = static_cast<uint32_t>(text_.size());
  return make(Token::Kind::Bad, begin);
}

Token Lexer::next() {
  skipBlanks();
  if (at_ >= text_.size()) {
    at_ = static_cast<uint32_t>(text_.size());
    return make(Token::Kind::End, at_);
  }
  const uint32_t begin = at_;
  const char c = text_[at_];
  if (startsWithPlainName(text_.substr(at_, 2))) {
    ++at_;
    while (continuesPlainName(peek(0)) && !(peek(0) == '/' && peek(1) == '/')) ++at_;
    return make(Token::Kind::Name, begin);
  }
  if (isDigit(c) || (c == '-' && (isDigit(peek(1)) || text_.substr(at_ + 1).starts_with("inf")))) return number();
  if (c == '"') return quoted();
  for (const std::string_view punctuation : kPunctuation) {
    if (!text_.substr(at_).starts_with(punctuation)) continue;
    at_ += static_cast<uint32_t>(punctuation.size());
    return make(Token::Kind::Punctuation, begin);
  }
  ++at_;
  return make(Token::Kind::Bad, begin);
}

}  // namespace amdahlc::ir
