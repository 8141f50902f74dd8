#include "ir/text/reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "ir/text/escape.h"
#include "support/edit_distance.h"

namespace amdahlc::ir {

namespace {

constexpr size_t kMaxSyntaxErrors = 10;
constexpr size_t kMaxErrors = 50;

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

TextReader::TextReader(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics)
    : buffer_(buffer),
      sources_(sources),
      diagnostics_(diagnostics),
      lexer_(sources.text(buffer)),
      errorsBefore_(diagnostics.errorCount()) {
  advance();
}

void TextReader::advance() {
  if (!panicking_) token_ = lexer_.next();
}

bool TextReader::at(std::string_view text) const {
  return (token_.kind == Token::Kind::Punctuation || token_.kind == Token::Kind::Name) && token_.text == text;
}

bool TextReader::accept(std::string_view text) {
  if (!at(text)) return false;
  advance();
  return true;
}

bool TextReader::expect(std::string_view text) {
  if (accept(text)) return true;
  fail("expected `" + std::string(text) + "`");
  return false;
}

void TextReader::fail(const std::string& message) {
  if (token_.kind != Token::Kind::Bad)
    failAt(range(token_), atEnd() ? message + " before the end of the text" : message);
  else if (token_.text.front() == '"')
    failAt(range(token_), "string without a closing quote on its line");
  else
    failAt(range(token_), "a character that starts nothing; " + message);
}

void TextReader::failAt(SourceRange where, const std::string& message) {
  if (panicking_) return;
  diagnostics_.error(DiagId::IrSyntax, where, message);
  ++syntaxErrors_;
  // An error seen only when its line was read already needs nothing skipped.
  const std::string_view text = lexer_.text();
  const size_t lineEnd = text.find('\n', where.begin);
  const uint32_t next = token_.begin;
  skipLine();
  if (lineEnd < next) resumeAt_ = next;
}

/// Also skips a block that begins on this line, because its content has no meaning without its first line.
void TextReader::skipLine() {
  Lexer ahead = lexer_;
  ahead.moveTo(token_.begin);
  const std::string_view text = lexer_.text();
  size_t lineEnd = std::min(text.find('\n', token_.begin), text.size());
  size_t open = 0;
  for (Token next = ahead.next(); next.kind != Token::Kind::End && (open > 0 || next.begin < lineEnd);
       next = ahead.next()) {
    if (next.kind != Token::Kind::Punctuation) continue;
    if (next.text == "{") ++open;
    if (next.text != "}") continue;
    if (open == 0) break;
    if (--open == 0) lineEnd = std::min(text.find('\n', next.begin), text.size());
  }
  resumeAt_ = static_cast<uint32_t>(open == 0 ? lineEnd : text.size());
  panicking_ = true;
  token_ = Token{Token::Kind::End, token_.begin, token_.begin, {}};
}

void TextReader::failExpected(const std::vector<std::string_view>& words) {
  std::string message = "expected ";
  std::vector<std::string> known;
  for (const std::string_view word : words) {
    if (!known.empty()) message += known.size() + 1 == words.size() ? " or " : ", ";
    message += '`' + std::string(word) + '`';
    known.emplace_back(word);
  }
  if (token_.kind == Token::Kind::Name) message += didYouMean(token_.text, known);
  fail(message);
}

bool TextReader::recover() {
  if (syntaxErrors_ >= kMaxSyntaxErrors || diagnostics_.errorCount() - errorsBefore_ >= kMaxErrors) return false;
  panicking_ = false;
  lexer_.moveTo(resumeAt_);
  advance();
  if (!atEnd()) return true;
  panicking_ = true;
  return false;
}

void TextReader::unknown(SourceRange where, const std::string& message) {
  // Definitions of a skipped line are missing, so unknown names are not reported after an error.
  if (panicking_ || syntaxErrors_ != 0 || diagnostics_.errorCount() - errorsBefore_ >= kMaxErrors) return;
  diagnostics_.error(DiagId::IrUnknownName, where, message);
}

int64_t TextReader::integer(const char* what) {
  int64_t value = 0;
  if (token_.kind != Token::Kind::Integer) {
    fail(std::string("expected ") + what);
    return 0;
  }
  const auto [end, failure] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), value);
  if (failure != std::errc{} || end != token_.text.data() + token_.text.size()) {
    fail(std::string(what) + " does not fit 64 bits");
    return 0;
  }
  advance();
  return value;
}

int64_t TextReader::integerWithin(const char* what, int64_t least, int64_t most) {
  const SourceRange where = range(token_);
  const int64_t value = integer(what);
  if (value >= least && value <= most) return value;
  failAt(where, std::string("expected ") + what + " from " + std::to_string(least) + " to " + std::to_string(most));
  return 0;
}

uint32_t TextReader::index(const char* what) {
  return static_cast<uint32_t>(integerWithin(what, 0, int64_t{std::numeric_limits<uint32_t>::max()} - 1));
}

bool TextReader::ordinal(const char* what, std::string_view noun, size_t next) {
  const SourceRange where = here();
  const uint32_t number = index(what);
  if (panicking_ || number == next) return true;
  failAt(where, fmt::format("{} {} where {} is next", noun, number, next));
  return false;
}

double TextReader::real(const char* what) {
  double value = 0;
  if (token_.kind == Token::Kind::Integer || token_.kind == Token::Kind::Float || at("inf") || at("nan")) {
    const auto [end, failure] = std::from_chars(token_.text.data(), token_.text.data() + token_.text.size(), value);
    if (failure != std::errc{} || end != token_.text.data() + token_.text.size()) {
      fail(std::string(what) + " does not fit a double");
      return 0;
    }
    advance();
    return value;
  }
  fail(std::string("expected ") + what);
  return 0;
}

std::string TextReader::string(const char* what) {
  if (token_.kind != Token::Kind::String) {
    fail(std::string("expected ") + what + " in quotes");
    return {};
  }
  std::string_view text = token_.text;
  UnquoteError error;
  auto value = consumeQuoted(text, error);
  if (!value) {
    const auto at = static_cast<uint32_t>(token_.begin + error.offset);
    failAt({buffer_, at, std::min(at + 2, token_.end)}, error.what);
    return {};
  }
  advance();
  return std::move(*value);
}

std::string TextReader::nameOrString(const char* what) {
  if (token_.kind == Token::Kind::String) return string(what);
  if (token_.kind != Token::Kind::Name) {
    fail(std::string("expected ") + what);
    return {};
  }
  std::string text(token_.text);
  advance();
  return text;
}

Type TextReader::type() {
  if (panicking_) return {};
  std::string_view rest = lexer_.text().substr(token_.begin);
  const size_t before = rest.size();
  if (auto parsed = parseType(rest)) {
    lexer_.moveTo(static_cast<uint32_t>(token_.begin + (before - rest.size())));
    advance();
    return std::move(*parsed);
  }
  std::string message = "expected a type such as `float32[1,batch,?]`";
  if (token_.kind == Token::Kind::Name && !elementTypeFromName(token_.text))
    message += didYouMean(token_.text, elementTypeNames());
  fail(message);
  return {};
}

std::vector<int64_t> TextReader::integers(const char* what) {
  std::vector<int64_t> values;
  list([&] { values.push_back(integer(what)); });
  return values;
}

std::vector<int64_t> TextReader::durationsNs() {
  std::vector<int64_t> values;
  list([&] { values.push_back(durationNs()); });
  return values;
}

std::vector<KernelId> TextReader::kernelIds() {
  std::vector<KernelId> kernels;
  list([&] { kernels.push_back(id<KernelId>("a kernel's id")); });
  return kernels;
}

std::optional<Rational> TextReader::rational(const char* what) {
  const SourceRange where = range(token_);
  const int64_t numerator = integer(what);
  const int64_t denominator = accept("/") ? integer("a denominator") : 1;
  if (panicking_) return std::nullopt;
  if (numerator < 0 || denominator <= 0) {
    failAt(where, std::string("expected ") + what + " that is not negative, over a positive denominator");
    return std::nullopt;
  }
  return Rational::of(numerator, denominator);
}

}  // namespace amdahlc::ir
