#include "grammar/lsp/protocol.h"

#include <algorithm>

#include "support/json_text.h"

namespace amdahlc::lsp {
namespace {

std::string joined(Keys keys) {
  std::string out;
  for (const std::string_view key : keys) (out += out.empty() ? "" : ".") += key;
  return out;
}

}  // namespace

const Json* find(const Json& value, Keys keys) {
  const Json* at = &value;
  for (const std::string_view key : keys) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(std::string(key));
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

bool isTrue(const Json& value, Keys keys) {
  const Json* found = find(value, keys);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}

bool lists(const Json& value, Keys keys, std::string_view text) {
  const Json* found = find(value, keys);
  return found != nullptr && found->is_array() && std::any_of(found->begin(), found->end(), [&](const Json& one) {
           return one.is_string() && one.get_ref<const std::string&>() == text;
         });
}

const Json& require(const Json& value, Keys keys) {
  const Json* found = find(value, keys);
  if (found == nullptr) throw InvalidParams("no `" + joined(keys) + "`");
  return *found;
}

const std::string& requireString(const Json& value, Keys keys) {
  const Json& found = require(value, keys);
  if (!found.is_string()) throw InvalidParams("`" + joined(keys) + "` is no string");
  return found.get_ref<const std::string&>();
}

const Json& requireArray(const Json& value, Keys keys) {
  const Json& found = require(value, keys);
  if (!found.is_array()) throw InvalidParams("`" + joined(keys) + "` is no array");
  return found;
}

int64_t requireInteger(const Json& value, Keys keys) {
  const Json& found = require(value, keys);
  // Those beyond the signed range are of their own kind.
  if (!found.is_number_integer() || (found.is_number_unsigned() && found.get<uint64_t>() > INT64_MAX))
    throw InvalidParams("`" + joined(keys) + "` is no integer");
  return found.get<int64_t>();
}

std::string textOf(const Json& message) {
  return withEscapedControls(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace amdahlc::lsp
