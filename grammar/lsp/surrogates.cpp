#include "grammar/lsp/surrogates.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace amdahlc::lsp {
namespace {

constexpr size_t kEscape = 6;  // \uXXXX

/// The code unit of an escape at the start of a text; nullopt if there is none.
std::optional<uint32_t> unitAt(std::string_view text) {
  if (text.size() < kEscape || !text.starts_with("\\u")) return std::nullopt;
  uint32_t unit = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + kEscape, unit, 16);
  return error == std::errc() && end == text.data() + kEscape ? std::optional(unit) : std::nullopt;
}

bool isHigh(std::optional<uint32_t> unit) { return unit && *unit >= 0xD800 && *unit < 0xDC00; }
bool isLow(std::optional<uint32_t> unit) { return unit && *unit >= 0xDC00 && *unit < 0xE000; }

}  // namespace

std::string withoutLoneSurrogates(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const size_t plain = std::min(json.find('\\'), json.size());
    out += json.substr(0, plain);
    json.remove_prefix(plain);
    if (json.empty()) break;
    const auto unit = unitAt(json);
    size_t length = unit ? kEscape : std::min<size_t>(2, json.size());
    if (isHigh(unit) && isLow(unitAt(json.substr(kEscape)))) length = 2 * kEscape;
    const bool isLone = length == kEscape && (isHigh(unit) || isLow(unit));
    out += isLone ? std::string_view("\\ufffd") : json.substr(0, length);
    json.remove_prefix(length);
  }
  return out;
}

}  // namespace amdahlc::lsp
