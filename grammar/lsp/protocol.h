/// JSON values of the protocol: access to what a client sends, whose shape is not certain, and errors of requests.
/// Private to this component.
#pragma once

#include <cstdint>
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

/// The value behind keys of nested objects, such as `textDocument.uri`; nullptr if there is none.
const Json* find(const Json& value, std::string_view path);
/// Whether it is `true`.
bool isTrue(const Json& value, std::string_view path);
/// Whether it is an array that has a string.
bool lists(const Json& value, std::string_view path, std::string_view text);

/// These throw `InvalidParams` where the value is missing or of another kind.
const Json& require(const Json& value, std::string_view path);
const std::string& requireString(const Json& value, std::string_view path);
const Json& requireArray(const Json& value, std::string_view path);
int64_t requireInteger(const Json& value, std::string_view path);

/// The text of a message. Bytes that are not UTF-8 are replaced, and no terminal obeys a character of it.
std::string textOf(const Json& message);

/// JSON text with U+FFFD for each escaped half of a surrogate pair without its other half: editors write such halves
/// for text that they hold in UTF-16. U+FFFD is one code unit of UTF-16 as well, so that positions keep their meaning.
std::string withoutLoneSurrogates(std::string_view json);

}  // namespace amdahlc::lsp
