/// JSON values of the protocol: access to what a client sends, whose shape is not certain, and errors of requests.
/// Private to this component.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace amdahlc::lsp {

using Json = nlohmann::json;

/// Codes of JSON-RPC and of the protocol.
enum class ErrorCode : int16_t {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
};

/// What a request lacks. Thrown by the functions below, and answered as an error where requests are dispatched.
class InvalidParams : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Keys = std::initializer_list<std::string_view>;

/// The value behind keys of nested objects; nullptr if there is none.
const Json* find(const Json& value, Keys keys);
/// Whether it is `true`.
bool isTrue(const Json& value, Keys keys);
/// Whether an array behind keys has a string.
bool lists(const Json& value, Keys keys, std::string_view text);

/// These throw `InvalidParams` where the value is missing or of another kind.
const Json& require(const Json& value, Keys keys);
const std::string& requireString(const Json& value, Keys keys);
const Json& requireArray(const Json& value, Keys keys);
int64_t requireInteger(const Json& value, Keys keys);

/// The text of a message. Bytes that are not UTF-8 are replaced, and no terminal obeys a character of it.
std::string textOf(const Json& message);

}  // namespace amdahlc::lsp
