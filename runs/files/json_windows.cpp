#include "runs/files/json_windows.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <nlohmann/json.hpp>

#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::trace {
namespace {

// Half of a second-level cache.
constexpr size_t kWindowBytes = size_t{1} << 18;
// simdjson's depth matters to its second stage only.
constexpr size_t kUnusedDepth = 16;

}  // namespace

struct JsonIndexer::Stage {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
  size_t capacity = 0;
};

JsonIndexer::JsonIndexer() : stage_(std::make_unique<Stage>()) {}
JsonIndexer::~JsonIndexer() = default;

JsonText JsonIndexer::index(const char* text, size_t size) {
  if (size > stage_->capacity || !stage_->parser) {
    const size_t capacity = std::max(size, 2 * stage_->capacity);
    const auto error =
        simdjson::get_active_implementation()->create_dom_parser_implementation(capacity, kUnusedDepth, stage_->parser);
    if (error) throw std::bad_alloc();
    stage_->capacity = capacity;
  }
  auto& parser = *stage_->parser;
  const auto error = parser.stage1(reinterpret_cast<const uint8_t*>(text), size, simdjson::stage1_mode::regular);
  if (error) parser.n_structural_indexes = 0;
  parser.structural_indexes[parser.n_structural_indexes] = static_cast<uint32_t>(size);
  if (!error || error == simdjson::EMPTY) return JsonText::Valid;
  return error == simdjson::UNCLOSED_STRING ? JsonText::OpenString : JsonText::Invalid;
}

JsonCursor JsonIndexer::cursor(const char* text) const {
  const uint32_t* const begin = stage_->parser->structural_indexes.get();
  return {text, begin, begin + stage_->parser->n_structural_indexes};
}

JsonWindows::JsonWindows(ByteSource& source) : source_(source), buffer_(kWindowBytes + 1) { slide(0); }

bool JsonWindows::slide(size_t count) {
  if (cut_ < size_) buffer_[cut_] = covered_;
  std::memmove(buffer_.data(), buffer_.data() + count, size_ - count);
  size_ -= count;
  offset_ += count;
  if (size_ + 1 == buffer_.size()) {
    if (buffer_.size() > limits::kJsonValueBytes) return false;
    buffer_.resize(2 * (buffer_.size() - 1) + 1);
  }
  const size_t room = buffer_.size() - 1 - size_;
  const size_t got = ended_ ? 0 : source_.read(buffer_.data() + size_, room);
  size_ += got;
  ended_ = got < room;
  if (ended_) {
    index(size_);
  } else if (const auto line = lastLine()) {
    // JSON has no line break inside a token.
    index(*line);
  } else {
    index(lastQuote());
    if (state_ == JsonText::OpenString) {
      buffer_[cut_] = covered_;
      index(lastString());
    }
  }
  return true;
}

void JsonWindows::cutAt(size_t size) {
  if (cut_ < size_) buffer_[cut_] = covered_;
  index(size);
}

void JsonWindows::index(size_t cut) {
  cut_ = cut;
  covered_ = buffer_[cut_];
  buffer_[cut_] = '\0';
  state_ = indexer_.index(buffer_.data(), cut_);
}

std::optional<size_t> JsonWindows::lastLine() const {
  const char* const text = buffer_.data();
  const void* const line = ::memrchr(text + size_ / 2, '\n', size_ - size_ / 2);
  if (line == nullptr) return std::nullopt;
  return static_cast<size_t>(static_cast<const char*>(line) - text) + 1;
}

/// Behind the last quote if what follows it looks like the end of a string, else before it. Right almost always, and
/// where it is not, the window ends inside a string, which its index shows.
size_t JsonWindows::lastQuote() const {
  const char* const text = buffer_.data();
  const auto* quote = static_cast<const char*>(::memrchr(text, '"', size_));
  if (quote == nullptr) return 0;
  const char* after = quote + 1;
  while (after < text + size_ && isJsonBlank(*after)) ++after;
  const char next = after < text + size_ ? *after : '\0';
  const bool closes = next == ',' || next == ':' || next == '}' || next == ']';
  return static_cast<size_t>(quote - text) + (closes ? 1 : 0);
}

/// Before the last string that the window holds or begins, by all quotes before it.
size_t JsonWindows::lastString() const {
  const char* const text = buffer_.data();
  size_t cut = 0;
  for (const char* at = text; at < text + size_;) {
    const auto* open = static_cast<const char*>(std::memchr(at, '"', static_cast<size_t>(text + size_ - at)));
    if (open == nullptr) break;
    cut = static_cast<size_t>(open - text);
    const char* close = open;
    bool escaped = true;
    while (close != nullptr && escaped) {
      close = static_cast<const char*>(std::memchr(close + 1, '"', static_cast<size_t>(text + size_ - close - 1)));
      const char* slash = close;
      while (slash != nullptr && slash[-1] == '\\') --slash;
      escaped = (close - slash) % 2 == 1;
    }
    if (close == nullptr) break;
    at = close + 1;
  }
  return cut;
}

std::string_view beginningOfJson(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  text = utf8::beginning(text, bytes);
  for (size_t at = text.find('\\'); at != text.npos;) {
    const std::string_view escape = text.substr(at, 4);
    // D800 to DBFF begin a pair of surrogates, which is one character.
    const bool isPair = escape.size() == 4 && (escape[2] == 'd' || escape[2] == 'D') &&
                        std::string_view("89abAB").find(escape[3]) != escape.npos;
    const size_t length = !escape.starts_with("\\u") ? 2 : isPair ? 12 : 6;
    if (at + length > text.size()) return text.substr(0, at);
    at = text.find('\\', at + length);
  }
  return text;
}

bool isEscapedName(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || static_cast<unsigned char>(text[at]) < 0x20) return false;
    if (text[at] != '\\') continue;
    if (++at == text.size()) return false;
    constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
    const std::string_view digits = text.substr(at + 1, 4);
    const bool isCode = text[at] == 'u' && digits.size() == 4 && digits.find_first_not_of(kHexDigits) == digits.npos;
    if (!isCode && text[at] != '"' && text[at] != '\\' && text[at] != '/') return false;
  }
  return true;
}

std::string nameOf(std::string_view text) { return isEscapedName(text) ? unescapedJson(text) : std::string(text); }

std::string unescapedJson(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  const auto value = nlohmann::json::parse('"' + std::string(text) + '"', nullptr, false);
  return value.is_string() ? value.get<std::string>() : std::string(text);
}

}  // namespace amdahlc::trace
