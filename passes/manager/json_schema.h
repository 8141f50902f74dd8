/// JSON Schemas (draft 2020-12) of values in reports, as parts of a schema of a whole report.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace amdahlc::schema {

using Json = nlohmann::ordered_json;

inline Json text() { return {{"type", "string"}}; }
inline Json integer() { return {{"type", "integer"}}; }
/// A number of things, or of nanoseconds: not negative.
inline Json count() { return {{"type", "integer"}, {"minimum", 0}}; }
inline Json number() { return {{"type", "number"}}; }
/// A share, a factor, a prediction: not negative.
inline Json quantity() { return {{"type", "number"}, {"minimum", 0}}; }
inline Json boolean() { return {{"type", "boolean"}}; }
inline Json constant(std::string_view value) { return {{"const", value}}; }
/// An object of which the keys are names.
inline Json byName(Json value) { return {{"type", "object"}, {"additionalProperties", std::move(value)}}; }
inline Json arrayOf(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// An object with these properties, each of which is there.
inline Json object(Json properties) {
  Json required = Json::array();
  for (const auto& [name, type] : properties.items()) required.push_back(name);
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

/// The value, or null.
inline Json orNull(Json value) {
  const auto type = value.find("type");
  if (type == value.end()) return {{"anyOf", {std::move(value), {{"type", "null"}}}}};
  if (!type->is_array()) *type = Json::array({*type});
  type->push_back("null");
  return value;
}

/// One of these texts.
template <typename Names>
Json oneOf(const Names& names) {
  Json values = Json::array();
  for (const auto& name : names) values.push_back(name);
  return {{"enum", std::move(values)}};
}
inline Json oneOf(std::initializer_list<std::string_view> names) {
  return oneOf<std::initializer_list<std::string_view>>(names);
}

/// The schema of a whole document.
inline std::string document(std::string_view title, std::string_view description, const Json& object) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema["description"] = description;
  schema.update(object);
  return schema.dump(1) + "\n";
}

}  // namespace amdahlc::schema
