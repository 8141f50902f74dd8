#include "grammar/lsp/protocol.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <ranges>

#include <fmt/format.h>

#include "support/json_text.h"

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

const Json* find(const Json& value, std::string_view path) {
  const Json* at = &value;
  for (const auto key : std::views::split(path, '.')) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(std::string(key.begin(), key.end()));
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

bool isTrue(const Json& value, std::string_view path) {
  const Json* found = find(value, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

bool lists(const Json& value, std::string_view path, std::string_view text) {
  const Json* found = find(value, path);
  return found != nullptr && found->is_array() && std::ranges::any_of(*found, [&](const Json& one) {
           return one.is_string() && one.get_ref<const std::string&>() == text;
         });
}

const Json& require(const Json& value, std::string_view path) {
  const Json* found = find(value, path);
  if (found == nullptr) throw InvalidParams(fmt::format("no `{}`", path));
  return *found;
}

const std::string& requireString(const Json& value, std::string_view path) {
  const Json& found = require(value, path);
  if (!found.is_string()) throw InvalidParams(fmt::format("`{}` is no string", path));
  return found.get_ref<const std::string&>();
}

const Json& requireArray(const Json& value, std::string_view path) {
  const Json& found = require(value, path);
  if (!found.is_array()) throw InvalidParams(fmt::format("`{}` is no array", path));
  return found;
}

int64_t requireInteger(const Json& value, std::string_view path) {
  const Json& found = require(value, path);
  // Those beyond the signed range are of their own kind.
  if (!found.is_number_integer() || (found.is_number_unsigned() && found.get<uint64_t>() > INT64_MAX))
    throw InvalidParams(fmt::format("`{}` is no integer", path));
  return found.get<int64_t>();
}

std::string textOf(const Json& message) {
  return withEscapedControls(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

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
