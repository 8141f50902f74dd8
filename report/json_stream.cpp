#include "report/json_stream.h"

#include <nlohmann/json.hpp>

#include "support/json_text.h"

namespace amdahlc {
namespace {

constexpr int kOneLine = -1;

std::string dumped(const nlohmann::ordered_json& value, int indent = 1) {
  return withEscapedControls(value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
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
  out_ += dumped(std::string(name));
  out_ += ": ";
  afterKey_ = true;
}

void JsonStream::value(const Json& value) {
  separate();
  // Strings have no line ends of their own: `dump` escapes them.
  for (const char c : dumped(value)) {
    out_ += c;
    if (c == '\n') out_.append(open_.size(), ' ');
  }
}

void JsonStream::line(const Json& value) {
  separate();
  out_ += dumped(value, kOneLine);
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
