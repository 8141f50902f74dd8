/// The types of values in reports: each has a JSON Schema and a form in JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "support/absence.h"
#include "support/id.h"

/// JSON Schemas (draft 2020-12) of values, as parts of the schema of a whole report.
namespace amdahlc::schema {

using Json = nlohmann::ordered_json;

inline Json text() { return {{"type", "string"}}; }
/// A number of things, or of nanoseconds: not negative.
inline Json count() { return {{"type", "integer"}, {"minimum", 0}}; }
inline Json number() { return {{"type", "number"}}; }
/// A share, a factor, a prediction: not negative.
inline Json quantity() { return {{"type", "number"}, {"minimum", 0}}; }
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

/// The schema of a whole document.
inline std::string document(std::string_view title, std::string_view description, const Json& object) {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema["description"] = description;
  schema.update(object);
  return schema.dump(1) + "\n";
}

}  // namespace amdahlc::schema

namespace amdahlc {

/// Predictions may have fractions. A whole number of nanoseconds is written as an integer.
inline schema::Json nanoseconds(double ns) {
  // Of 64 bits, in double.
  constexpr double kLimit = 9.2e18;
  if (!(ns > -kLimit && ns < kLimit)) return ns;
  const auto whole = static_cast<int64_t>(ns);
  return static_cast<double>(whole) == ns ? schema::Json(whole) : schema::Json(ns);
}

// Values that are more than a number or a text say what they are in JSON.

/// An integer that may be negative.
struct SignedInteger {
  int64_t value = 0;
  static schema::Json schema() { return {{"type", "integer"}}; }
  int64_t json() const { return value; }
};
inline std::optional<SignedInteger> asSigned(const std::optional<int64_t>& value) {
  return value ? std::optional(SignedInteger{*value}) : std::nullopt;
}

/// A number that may be negative.
struct SignedNumber {
  double value = 0;
  static schema::Json schema() { return schema::number(); }
  double json() const { return value; }
};

/// A number of nanoseconds, or of things, that may have fractions: not negative. A whole number is written as an
/// integer.
struct PredictedNs {
  double value = 0;
  static schema::Json schema() { return schema::quantity(); }
  schema::Json json() const { return nanoseconds(value); }
};

/// One of the texts that `namesOf` returns.
template <auto namesOf>
struct OneOf {
  std::string_view name;
  static schema::Json schema() { return {{"enum", namesOf()}}; }
  std::string_view json() const { return name; }
};

/// The names of enumerators from one to another, of which `name` returns one.
template <auto first, auto last>
inline std::vector<std::string_view> namesFrom() {
  std::vector<std::string_view> names;
  for (auto i = static_cast<unsigned>(first); i <= static_cast<unsigned>(last); ++i)
    names.push_back(name(static_cast<decltype(last)>(i)));
  return names;
}

/// Always the same text, such as the name of a schema.
template <const std::string_view& text>
struct Constant {
  static schema::Json schema() { return {{"const", text}}; }
  std::string_view json() const { return text; }
};

/// Integers are numbers of things or of nanoseconds, and doubles are shares or factors: not negative. `json` returns
/// what can be converted to JSON.
template <typename Value>
struct FieldValue {
  static schema::Json schema() {
    if constexpr (std::same_as<Value, bool>)
      return {{"type", "boolean"}};
    else if constexpr (std::integral<Value>)
      return schema::count();
    else if constexpr (std::floating_point<Value>)
      return schema::quantity();
    else if constexpr (std::convertible_to<Value, std::string_view>)
      return schema::text();
    else
      return Value::schema();
  }
  static auto json(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      return value;
    else if constexpr (std::convertible_to<Value, std::string_view>)
      return std::string_view(value);
    else
      return value.json();
  }
};

template <typename Tag>
struct FieldValue<Id<Tag>> {
  static schema::Json schema() { return schema::count(); }
  static uint32_t json(Id<Tag> value) { return value.index(); }
};

/// An id that is a number in some sources and a text in others.
using IntegerOrText = std::variant<int64_t, std::string>;
template <>
struct FieldValue<IntegerOrText> {
  static schema::Json schema() { return {{"type", {"integer", "string"}}}; }
  static schema::Json json(const IntegerOrText& value) {
    return std::visit([](const auto& one) { return schema::Json(one); }, value);
  }
};

template <>
struct FieldValue<Absence> {
  static schema::Json schema() { return schema::text(); }
  static std::string json(const Absence& absence) { return describe(absence); }
};

/// The value, or null.
template <typename Value>
struct FieldValue<std::optional<Value>> {
  static schema::Json schema() { return schema::orNull(FieldValue<Value>::schema()); }
  static schema::Json json(const std::optional<Value>& value) {
    return value ? schema::Json(FieldValue<Value>::json(*value)) : schema::Json(nullptr);
  }
};

template <typename Value>
struct FieldValue<std::vector<Value>> {
  static schema::Json schema() { return schema::arrayOf(FieldValue<Value>::schema()); }
  static schema::Json json(const std::vector<Value>& values) {
    schema::Json array = schema::Json::array();
    for (const Value& value : values) array.push_back(FieldValue<Value>::json(value));
    return array;
  }
};

/// An object of which the keys are names.
template <typename Value>
struct FieldValue<std::vector<std::pair<std::string, Value>>> {
  static schema::Json schema() { return schema::byName(FieldValue<Value>::schema()); }
  static schema::Json json(const std::vector<std::pair<std::string, Value>>& values) {
    schema::Json object = schema::Json::object();
    for (const auto& [name, value] : values) object[name] = FieldValue<Value>::json(value);
    return object;
  }
};

/// Null for an empty text.
inline std::optional<std::string> nonEmpty(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

}  // namespace amdahlc
