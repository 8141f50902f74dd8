#include "report/json_stream.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/json_text.h"

namespace amdahlc {
namespace {

/// Of a number in any form.
constexpr size_t kLongestNumber = 64;

/// 1 for a character that may have to be written in another way, else 0.
constexpr char isSpecial(char c) { return (c < 0x20) | (c == 0x7F) | (c == '"') | (c == '\\'); }

/// Whether a string stands in JSON as it is. Most strings do, and those are not worth the library's generality.
bool isPlain(std::string_view text) {
  // The compiler makes a few instructions of what is done to a block.
  constexpr size_t kBlock = 16;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    char special = 0;
    for (size_t i = 0; i < kBlock; ++i) special |= isSpecial(text[i]);
    if (special != 0) return false;
  }
  return std::ranges::none_of(text, isSpecial);
}

}  // namespace

void JsonStream::flush() {
  // What is reserved and not written takes no memory, while each larger copy of the text takes all of it anew.
  constexpr size_t kMuch = size_t{1} << 26;
  if (!open_.empty() && out_.capacity() < kMuch) out_.reserve(kMuch);
  out_.append(buffer_.data(), used_);
  used_ = 0;
}

inline void JsonStream::put(std::string_view text) {
  if (text.size() > buffer_.size() - used_) {
    flush();
    if (text.size() > buffer_.size()) {
      out_ += text;
      return;
    }
  }
  // An empty text may have no address, which `memcpy` does not take.
  if (text.empty()) return;
  std::memcpy(buffer_.data() + used_, text.data(), text.size());
  used_ += text.size();
}

void JsonStream::putText(std::string_view text) {
  if (!isPlain(text)) return put(jsonText(text));
  put('"');
  put(text);
  put('"');
}

template <typename Digits>
void JsonStream::putInteger(Digits value) {
  if (buffer_.size() - used_ < kLongestNumber) flush();
  const auto written = std::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), value);
  used_ = static_cast<size_t>(written.ptr - buffer_.data());
}

void JsonStream::putDouble(double value) {
  if (!std::isfinite(value)) return put("null");
  if (buffer_.size() - used_ < kLongestNumber) flush();
  const char* const end = nlohmann::detail::to_chars(buffer_.data() + used_, buffer_.data() + buffer_.size(), value);
  used_ = static_cast<size_t>(end - buffer_.data());
}

/// As `dump()`, which makes a serializer, with a buffer and what the locale says, for each value.
void JsonStream::putValue(const Json& value) {
  using Type = nlohmann::detail::value_t;
  bool isFirst = true;
  const auto separate = [&] {
    if (!std::exchange(isFirst, false)) put(',');
  };
  switch (value.type()) {
    case Type::object:
      put('{');
      for (const auto& [name, inner] : value.items()) {
        separate();
        putText(name);
        put(':');
        putValue(inner);
      }
      return put('}');
    case Type::array:
      put('[');
      for (const auto& inner : value) {
        separate();
        putValue(inner);
      }
      return put(']');
    case Type::string:
      return putText(value.get_ref<const std::string&>());
    case Type::boolean:
      return put(value.get<bool>() ? "true" : "false");
    case Type::number_integer:
      return putInteger(value.get<int64_t>());
    case Type::number_unsigned:
      return putInteger(value.get<uint64_t>());
    case Type::number_float:
      return putDouble(value.get<double>());
    default:
      put("null");
  }
}

void JsonStream::newLine() {
  // A copy of a fixed size is an instruction or two. What it writes beyond the blanks is written over.
  static constexpr std::string_view kLine = "\n                                ";
  if (open_.size() < kLine.size() && buffer_.size() - used_ >= kLine.size()) {
    std::memcpy(buffer_.data() + used_, kLine.data(), kLine.size());
    used_ += 1 + open_.size();
    return;
  }
  put('\n');
  for (size_t left = open_.size(); left > 0; --left) put(' ');
}

void JsonStream::separate() {
  if (afterKey_) {
    afterKey_ = false;
    return;
  }
  if (open_.empty()) return;
  if (!open_.back().isEmpty) put(',');
  open_.back().isEmpty = false;
  newLine();
}

void JsonStream::key(std::string_view name) {
  separate();
  putText(name);
  put(": ");
  afterKey_ = true;
}

void JsonStream::plainKey(std::string_view name, std::string_view suffix) {
  separate();
  put('"');
  put(name);
  put(suffix);
  put("\": ");
  afterKey_ = true;
}

void JsonStream::value(const Json& value) {
  using Type = nlohmann::detail::value_t;
  switch (value.type()) {
    case Type::object:
      beginObject();
      for (const auto& [name, inner] : value.items()) member(name, inner);
      return end();
    case Type::array:
      beginArray();
      for (const Json& inner : value) this->value(inner);
      return end();
    default:
      line(value);
  }
}

void JsonStream::line(const Json& value) {
  separate();
  putValue(value);
  finishValue();
}

void JsonStream::null() {
  separate();
  put("null");
  finishValue();
}

void JsonStream::boolean(bool value) {
  separate();
  put(value ? "true" : "false");
  finishValue();
}

void JsonStream::integer(int64_t value) {
  separate();
  putInteger(value);
  finishValue();
}

void JsonStream::integer(uint64_t value) {
  separate();
  putInteger(value);
  finishValue();
}

void JsonStream::number(double value) {
  separate();
  putDouble(value);
  finishValue();
}

void JsonStream::text(std::string_view value) {
  separate();
  putText(value);
  finishValue();
}

void JsonStream::begin(char open, char close) {
  separate();
  put(open);
  open_.push_back({close});
}

void JsonStream::end() {
  const Open ended = open_.back();
  open_.pop_back();
  if (!ended.isEmpty) newLine();
  put(ended.close);
  finishValue();
}

}  // namespace amdahlc
