/// The types of values in reports: each has a JSON Schema and a form in JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "passes/manager/json_schema.h"
#include "passes/manager/report_values.h"
#include "support/absence.h"
#include "support/id.h"

namespace amdahlc {

/// An integer that may be negative.
struct SignedInteger {
  int64_t value = 0;
};
inline std::optional<SignedInteger> asSigned(const std::optional<int64_t>& value) {
  return value ? std::optional(SignedInteger{*value}) : std::nullopt;
}

/// A number that may be negative.
struct SignedNumber {
  double value = 0;
};

/// An id that is a number in some sources and a text in others.
using IntegerOrText = std::variant<int64_t, std::string>;

/// A number of nanoseconds, or of things, that may have fractions: not negative. A whole number is written as an
/// integer.
struct PredictedNs {
  double value = 0;
};

/// How much a prediction saves: negative where it costs time.
struct PredictedSavingNs {
  double value = 0;
};

/// One of the texts that `namesOf` returns.
template <auto namesOf>
struct OneOf {
  std::string_view name;
};

/// Always the same text, such as the name of a schema.
template <const std::string_view& text>
struct Constant {};

template <typename Value>
struct FieldValue;

template <>
struct FieldValue<bool> {
  static schema::Json schema() { return schema::boolean(); }
  static schema::Json json(bool value) { return value; }
};

/// A number of things, or of nanoseconds: not negative.
template <std::integral Integer>
struct FieldValue<Integer> {
  static schema::Json schema() { return schema::count(); }
  static schema::Json json(Integer value) { return value; }
};

template <typename Tag>
struct FieldValue<Id<Tag>> {
  static schema::Json schema() { return schema::count(); }
  static schema::Json json(Id<Tag> value) { return value.index(); }
};

template <>
struct FieldValue<SignedInteger> {
  static schema::Json schema() { return schema::integer(); }
  static schema::Json json(SignedInteger number) { return number.value; }
};

template <>
struct FieldValue<SignedNumber> {
  static schema::Json schema() { return schema::number(); }
  static schema::Json json(SignedNumber number) { return number.value; }
};

template <>
struct FieldValue<IntegerOrText> {
  static schema::Json schema() { return {{"type", {"integer", "string"}}}; }
  static schema::Json json(const IntegerOrText& value) {
    return std::visit([](const auto& one) { return schema::Json(one); }, value);
  }
};

/// A share, a factor: not negative.
template <>
struct FieldValue<double> {
  static schema::Json schema() { return schema::quantity(); }
  static schema::Json json(double value) { return value; }
};

template <>
struct FieldValue<PredictedNs> {
  static schema::Json schema() { return schema::quantity(); }
  static schema::Json json(PredictedNs ns) { return nanoseconds(ns.value); }
};

template <>
struct FieldValue<PredictedSavingNs> {
  static schema::Json schema() { return schema::number(); }
  static schema::Json json(PredictedSavingNs ns) { return nanoseconds(ns.value); }
};

template <typename Text>
  requires std::convertible_to<Text, std::string_view>
struct FieldValue<Text> {
  static schema::Json schema() { return schema::text(); }
  static schema::Json json(std::string_view value) { return value; }
};

template <>
struct FieldValue<Absence> {
  static schema::Json schema() { return schema::text(); }
  static schema::Json json(const Absence& absence) { return describe(absence); }
};

template <auto namesOf>
struct FieldValue<OneOf<namesOf>> {
  static schema::Json schema() { return schema::oneOf(namesOf()); }
  static schema::Json json(OneOf<namesOf> value) { return value.name; }
};

template <const std::string_view& text>
struct FieldValue<Constant<text>> {
  static schema::Json schema() { return schema::constant(text); }
  static schema::Json json(Constant<text>) { return text; }
};

/// The value, or null.
template <typename Value>
struct FieldValue<std::optional<Value>> {
  static schema::Json schema() { return schema::orNull(FieldValue<Value>::schema()); }
  static schema::Json json(const std::optional<Value>& value) {
    return value ? FieldValue<Value>::json(*value) : schema::Json(nullptr);
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
