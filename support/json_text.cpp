#include "support/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support/utf8.h"

namespace amdahlc {
namespace {

/// Of a well-formed sequence of one to three bytes.
unsigned codePoint(std::string_view sequence) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(sequence[i]); };
  if (sequence.size() == 1) return byte(0);
  if (sequence.size() == 2) return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
  return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
}

}  // namespace

std::string withEscapedControls(std::string_view json) {
  // C0 is blanks between values: inside strings JSON has it as escapes only.
  const auto mayBegin = [](char c) { return static_cast<unsigned char>(c) >= 0x7F; };
  std::string out;
  while (!json.empty()) {
    const auto begin = std::ranges::find_if(json, mayBegin);
    out.append(json.begin(), begin);
    json.remove_prefix(static_cast<size_t>(begin - json.begin()));
    if (json.empty()) break;
    if (const size_t length = utf8::controlLength(json); length != 0) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", codePoint(json.substr(0, length)));
      json.remove_prefix(length);
    } else {
      out += json.front();
      json.remove_prefix(1);
    }
  }
  return out;
}

std::string jsonText(std::string_view text) {
  return withEscapedControls(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace amdahlc
