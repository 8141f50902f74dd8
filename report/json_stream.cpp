#include "report/json_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/json_text.h"

namespace amdahlc {
namespace {

/// Whether a string stands in JSON as it is. Most strings do, and those are not worth the library's generality.
bool isPlain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

/// On one line.
void append(const nlohmann::ordered_json& value, std::string& out) {
  out += withEscapedControls(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void appendString(std::string_view text, std::string& out) {
  if (isPlain(text))
    out.append(1, '"').append(text).append(1, '"');
  else
    out += jsonText(text);
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
    case Type::string:
      separate();
      return appendString(value.get_ref<const std::string&>(), out_);
    case Type::number_integer:
      separate();
      fmt::format_to(std::back_inserter(out_), "{}", value.get<int64_t>());
      return;
    default:
      separate();
      append(value, out_);
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
