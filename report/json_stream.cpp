#include "report/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/json_text.h"

namespace amdahlc {
namespace {

/// Whether a string stands in JSON as it is. Most strings do, and those are not worth the library's generality.
bool isPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

void appendString(std::string_view text, std::string& out) {
  if (isPlain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += jsonText(text);
}

void appendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  std::array<char, 64> digits;  // NOLINT(*-member-init): the library writes before anything is read.
  out.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
}

/// On one line, as `dump()`, which makes a serializer, with a buffer and what the locale says, for each value.
void append(const nlohmann::ordered_json& value, std::string& out) {
  using Type = nlohmann::detail::value_t;
  bool isFirst = true;
  const auto separate = [&] {
    if (!std::exchange(isFirst, false)) out += ',';
  };
  switch (value.type()) {
    case Type::object:
      out += '{';
      for (const auto& [name, inner] : value.items()) {
        separate();
        appendString(name, out);
        out += ':';
        append(inner, out);
      }
      out += '}';
      return;
    case Type::array:
      out += '[';
      for (const auto& inner : value) {
        separate();
        append(inner, out);
      }
      out += ']';
      return;
    case Type::string:
      return appendString(value.get_ref<const std::string&>(), out);
    case Type::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Type::number_integer:
      fmt::format_to(std::back_inserter(out), "{}", value.get<int64_t>());
      return;
    case Type::number_unsigned:
      fmt::format_to(std::back_inserter(out), "{}", value.get<uint64_t>());
      return;
    case Type::number_float:
      return appendDouble(value.get<double>(), out);
    default:
      out += "null";
  }
}

}  // namespace

void JsonStream::newLine() {
  out_ += '\n';
  out_.append(open_.size(), ' ');
}

void JsonStream::separate() {
  if (afterKey_) {
    afterKey_ = false;
    return;
  }
  if (open_.empty()) return;
  if (!open_.back().isEmpty) out_ += ',';
  open_.back().isEmpty = false;
  newLine();
}

void JsonStream::key(std::string_view name) {
  separate();
  appendString(name, out_);
  out_ += ": ";
  afterKey_ = true;
}

void JsonStream::plainKey(std::string_view name, std::string_view suffix) {
  separate();
  out_.append(1, '"').append(name).append(suffix).append("\": ");
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
  append(value, out_);
}

void JsonStream::begin(char open, char close) {
  separate();
  out_ += open;
  open_.push_back({close});
}

void JsonStream::end() {
  const Open ended = open_.back();
  open_.pop_back();
  if (!ended.isEmpty) newLine();
  out_ += ended.close;
}

}  // namespace amdahlc
