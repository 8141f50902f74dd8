/// Objects of a report as constant tables of fields. Every form of a report reads the same tables: JSON, its JSON
/// Schema, and CSV.
///
///     constexpr auto kNodeFields = fields<NodeRow>(
///         field<&NodeRow::op>("index", "position in the model"),
///         field("scope", "module scope; null without one", [](auto& row) { return nonEmpty(row.scope()); }));
///
/// The type that a function returns is the type of the field: `FieldValue` of `field_value.h` says what each type is in
/// JSON.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/comparison/report_keys.h"
#include "report/field_value.h"
#include "report/json_stream.h"
#include "support/csv_row.h"
#include "support/statistics.h"

namespace amdahlc {

/// A key of an object that is made of a `Row`.
template <typename Row>
struct Field {
  std::string_view key = {};
  /// Follows the key.
  std::string_view suffix = {};
  /// For users, a clause.
  std::string_view description = {};
  /// Follows the description.
  std::string_view detail = {};
  schema::Json (*schema)() = nullptr;
  /// A small value; null of a field that has objects, or numbers of iterations.
  schema::Json (*value)(const Row&) = nullptr;
  void (*writeValue)(const Row&, JsonStream&) = nullptr;
  /// Its key as a column of CSV; empty: it is none.
  std::string_view column = {};

  std::string name() const { return std::string(key) + std::string(suffix); }
  std::string columnName() const { return std::string(column) + std::string(suffix); }
  void write(const Row& row, JsonStream& out) const {
    out.plainKey(key, suffix);
    writeValue(row, out);
  }
};

namespace field_detail {

/// The class of the rows that a function takes.
template <typename Function>
struct RowOf : RowOf<decltype(&Function::operator())> {};
template <typename Function, typename Result, typename Row>
struct RowOf<Result (Function::*)(const Row&) const> {
  using Type = Row;
};

/// A cell of CSV holds a small value, and no objects. Tables are constants, so that the compiler refuses a column that
/// has some.
template <typename Row>
constexpr void checkColumn(const Field<Row>& field) {
  if (!field.column.empty() && field.value == nullptr) throw std::logic_error("a column of CSV has objects");
}

/// A field as its maker knows it. It has the rows of the table that it is written in.
template <typename Maker>
struct RowlessField {
  std::string_view key, description;
  Maker maker;
  std::string_view column = {};

  template <typename Row>
  constexpr Field<Row> in() const {
    Field<Row> made = maker.template operator()<Row>();
    made.key = key;
    made.description = description;
    made.column = column;
    checkColumn(made);
    return made;
  }
};

template <auto member>
struct MemberOf;
template <typename Class, typename Value, Value Class::* member>
struct MemberOf<member> {
  const Value& operator()(const Class& row) const { return row.*member; }
};

template <typename Row, typename Part>
constexpr auto asArray(const Part& part) {
  if constexpr (requires { part.template in<Row>(); })
    return std::array<Field<Row>, 1>{part.template in<Row>()};
  else
    return part;
}

template <typename Row, size_t n, size_t m>
constexpr std::array<Field<Row>, n + m> joined(const std::array<Field<Row>, n>& a, const std::array<Field<Row>, m>& b) {
  return [&]<size_t... i, size_t... j>(std::index_sequence<i...>, std::index_sequence<j...>) {
    return std::array<Field<Row>, n + m>{a[i]..., b[j]...};
  }(std::make_index_sequence<n>(), std::make_index_sequence<m>());
}

/// Where the value is that a function returned: null for nullopt and for a null pointer.
template <typename T>
const T* pointerTo(const T& value) {
  return &value;
}
template <typename T>
const T* pointerTo(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}
template <typename T>
const T* pointerTo(const T* const& value) {
  return value;
}

/// Whether a field may be null: its function returns an optional value or a pointer.
template <typename T>
inline constexpr bool isNullable = std::is_pointer_v<T>;
template <typename T>
inline constexpr bool isNullable<std::optional<T>> = true;

// Write what a function of a field returned. Most values of a report are numbers and texts, so that no tree is made of
// them.

template <typename Value>
void writeValue(const std::optional<Value>& value, JsonStream& out);
template <typename Value>
void writeValue(const std::vector<Value>& values, JsonStream& out);
template <typename Value>
void writeValue(const std::vector<std::pair<std::string, Value>>& values, JsonStream& out) {
  out.value(FieldValue<std::vector<std::pair<std::string, Value>>>::json(values));
}
template <typename Value>
void writeValue(const Value& value, JsonStream& out) {
  if constexpr (std::same_as<Value, bool>)
    out.boolean(value);
  else if constexpr (std::unsigned_integral<Value>)
    out.integer(uint64_t{value});
  else if constexpr (std::integral<Value>)
    out.integer(int64_t{value});
  else if constexpr (std::floating_point<Value>)
    out.number(value);
  else if constexpr (std::convertible_to<Value, std::string_view>)
    out.text(value);
  else if constexpr (std::same_as<Value, schema::Json>)
    out.value(value);
  else
    writeValue(FieldValue<Value>::json(value), out);
}
template <typename Value>
void writeValue(const std::optional<Value>& value, JsonStream& out) {
  value ? writeValue(*value, out) : out.null();
}
template <typename Value>
void writeValue(const std::vector<Value>& values, JsonStream& out) {
  out.beginArray();
  for (const Value& value : values) writeValue(value, out);
  out.end();
}

// The same, on one line.

template <typename Value>
void writeOnLine(const std::vector<Value>& values, JsonStream& out);
template <typename Value>
void writeOnLine(const Value& value, JsonStream& out) {
  writeValue(value, out);
}
template <typename Value>
void writeOnLine(const std::optional<Value>& value, JsonStream& out) {
  value ? writeOnLine(*value, out) : out.null();
}
template <typename Value>
void writeOnLine(const std::vector<Value>& values, JsonStream& out) {
  out.arrayOnLine(values, [&](const Value& value) { writeOnLine(value, out); });
}

inline schema::Json orNullIf(bool isNullable, schema::Json value) {
  return isNullable ? schema::orNull(std::move(value)) : value;
}

}  // namespace field_detail

template <typename Function>
using RowOf = typename field_detail::RowOf<Function>::Type;

/// A field with a small value.
template <typename Function>
constexpr auto field(std::string_view key, std::string_view description, Function /*valueOf*/) {
  return field_detail::RowlessField{
      key, description, []<typename Row>() -> Field<Row> {
        using Value = std::decay_t<std::invoke_result_t<Function, const Row&>>;
        return {.schema = &FieldValue<Value>::schema,
                .value = [](const Row& row) -> schema::Json { return FieldValue<Value>::json(Function{}(row)); },
                .writeValue =
                    [](const Row& row, JsonStream& out) {
                      const Value& value = Function{}(row);
                      field_detail::writeValue(value, out);
                    }};
      }};
}
/// A field with numbers of each iteration, which are on one line.
template <typename Function>
constexpr auto numbersField(std::string_view key, std::string_view description, Function /*valueOf*/) {
  return field_detail::RowlessField{key, description, []<typename Row>() -> Field<Row> {
                                      using Value = std::decay_t<std::invoke_result_t<Function, const Row&>>;
                                      return {.schema = &FieldValue<Value>::schema,
                                              .writeValue = [](const Row& row, JsonStream& out) {
                                                const Value& value = Function{}(row);
                                                field_detail::writeOnLine(value, out);
                                              }};
                                    }};
}
/// A field with the value of a member of what its row is or can be converted to.
template <auto member>
constexpr auto field(std::string_view key, std::string_view description) {
  return field(key, description, field_detail::MemberOf<member>());
}

/// One table of fields, and of tables, in their order.
template <typename Row, typename First>
constexpr auto fields(const First& first) {
  return field_detail::asArray<Row>(first);
}
template <typename Row, typename First, typename... Others>
  requires(sizeof...(Others) > 0)
constexpr auto fields(const First& first, const Others&... others) {
  return field_detail::joined(field_detail::asArray<Row>(first), fields<Row>(others...));
}

/// What a run has several of, with the run.
template <typename Item, typename Run>
struct ItemOf {
  const Run& run;
  const Item& item;
  // NOLINTNEXTLINE(google-explicit-constructor): fields are members of the item.
  operator const Item&() const { return item; }
};

/// A row for each of `range`, or for what its pointers point to, with what the rows refer to.
template <typename Row, typename Context, typename Range>
std::vector<Row> rowsOf(const Context& context, const Range& range) {
  std::vector<Row> rows;
  for (const auto& one : range) {
    if constexpr (std::is_pointer_v<std::decay_t<decltype(one)>>)
      rows.push_back(Row{context, *one});
    else
      rows.push_back(Row{context, one});
  }
  return rows;
}

/// The same field as a column of CSV, under its key or a name of its own.
template <typename Maker>
constexpr auto inCsv(field_detail::RowlessField<Maker> field, std::string_view name = {}) {
  field.column = name.empty() ? field.key : name;
  return field;
}
/// The same fields as columns of CSV, under their keys where they have no other name.
template <typename Row, size_t n>
constexpr std::array<Field<Row>, n> inCsv(std::array<Field<Row>, n> columns) {
  for (Field<Row>& field : columns) {
    if (field.column.empty()) field.column = field.key;
    field_detail::checkColumn(field);
  }
  return columns;
}

/// Fields of several tables, whose rows a row of the object can be converted to. `Tables::visit` calls a function with
/// each table.
template <typename Tables>
struct JoinedFields {};

template <typename Fields, typename Visitor>
void eachField(const Fields& fields, const Visitor& visitor) {
  for (const auto& field : fields) visitor(field);
}
template <typename Tables, typename Visitor>
void eachField(const JoinedFields<Tables>& /*fields*/, const Visitor& visitor) {
  Tables::visit([&](const auto& fields) { eachField(fields, visitor); });
}

template <typename Fields, typename Row>
void writeObject(const Fields& fields, const Row& row, JsonStream& out) {
  out.beginObject();
  eachField(fields, [&](const auto& field) { field.write(row, out); });
  out.end();
}

/// Of an object that has every key.
template <typename Fields>
schema::Json schemaOf(const Fields& fields) {
  schema::Json properties = schema::Json::object();
  eachField(fields, [&](const auto& field) {
    schema::Json type = field.schema();
    if (!field.description.empty()) type["description"] = std::string(field.description) + std::string(field.detail);
    properties[field.name()] = std::move(type);
  });
  return schema::object(std::move(properties));
}

/// A field with an object of other fields. `rowOf` returns their row; nullopt or a null pointer stands for null.
template <const auto& kFields, typename Function>
constexpr auto object(std::string_view key, std::string_view description, Function /*rowOf*/) {
  return field_detail::RowlessField{
      key, description, []<typename Row>() -> Field<Row> {
        using Result = std::decay_t<std::invoke_result_t<Function, const Row&>>;
        return {.schema = [] { return field_detail::orNullIf(field_detail::isNullable<Result>, schemaOf(kFields)); },
                .writeValue =
                    [](const Row& row, JsonStream& out) {
                      const auto& result = Function{}(row);
                      const auto* found = field_detail::pointerTo(result);
                      found != nullptr ? writeObject(kFields, *found, out) : out.null();
                    }};
      }};
}

/// A field with an array of objects. `rowsOf` returns a range of their rows; nullopt or a null
/// pointer stands for null.
template <const auto& kFields, typename Function>
constexpr auto objects(std::string_view key, std::string_view description, Function /*rowsOf*/) {
  return field_detail::RowlessField{key, description, []<typename Row>() -> Field<Row> {
                                      using Result = std::decay_t<std::invoke_result_t<Function, const Row&>>;
                                      return {.schema =
                                                  [] {
                                                    return field_detail::orNullIf(field_detail::isNullable<Result>,
                                                                                  schema::arrayOf(schemaOf(kFields)));
                                                  },
                                              .writeValue =
                                                  [](const Row& row, JsonStream& out) {
                                                    const auto& result = Function{}(row);
                                                    const auto* rows = field_detail::pointerTo(result);
                                                    if (rows == nullptr) return out.null();
                                                    out.beginArray();
                                                    for (const auto& element : *rows)
                                                      writeObject(kFields, element, out);
                                                    out.end();
                                                  }};
                                    }};
}

/// A field with an object of which the keys are names. `rowsOf` returns pairs of a name and the row of its object.
template <const auto& kFields, typename Function>
constexpr auto objectsByName(std::string_view key, std::string_view description, Function /*rowsOf*/) {
  return field_detail::RowlessField{key, description, []<typename Row>() -> Field<Row> {
                                      return {.schema = [] { return schema::byName(schemaOf(kFields)); },
                                              .writeValue =
                                                  [](const Row& row, JsonStream& out) {
                                                    out.beginObject();
                                                    for (const auto& [name, element] : Function{}(row)) {
                                                      out.key(name);
                                                      writeObject(kFields, element, out);
                                                    }
                                                    out.end();
                                                  }};
                                    }};
}

/// A measured time over the iterations.
struct ReportedTime {
  TimeStatistics statistics;
  /// Only the mean is known: the samples are means of several executions.
  bool isMeanOnly = false;
};

namespace field_detail {

template <auto member>
constexpr auto kExactly = [](const std::optional<ReportedTime>& time) {
  return time && !time->isMeanOnly ? std::optional(time->statistics.*member) : std::nullopt;
};

}  // namespace field_detail

/// Four fields of a measured time: `KEY`, `KEY_total`, `KEY_stddev`, `KEY_mean`. `timeOf` returns an optional
/// `ReportedTime`.
template <typename Function, typename Row = RowOf<Function>>
constexpr std::array<Field<Row>, 4> timeFields(std::string_view key, std::string_view description,
                                               Function /*timeOf*/) {
  const auto figure = [&]<typename Figure>(std::string_view suffix, std::string_view what, Figure) -> Field<Row> {
    auto made = field("", what, [](const Row& row) { return Figure{}(Function{}(row)); }).template in<Row>();
    made.key = key;
    made.suffix = suffix;
    if (suffix.empty()) made.detail = ", nanoseconds per iteration";
    return made;
  };
  return {
      figure("", description,
             [](const std::optional<ReportedTime>& time) {
               return time ? std::optional(time->statistics.reportedNs) : std::nullopt;
             }),
      figure("_total", "the exact sum over the iterations", field_detail::kExactly<&TimeStatistics::totalNs>),
      figure("_stddev", "standard deviation over the iterations",
             field_detail::kExactly<&TimeStatistics::standardDeviationNs>),
      figure("_mean", "mean over the iterations, rounded half to even", [](const std::optional<ReportedTime>& time) {
        return time ? std::optional(time->statistics.meanNs) : std::nullopt;
      })};
}

/// A document of its own.
template <typename Fields, typename Row>
std::string writeJson(const Fields& fields, const Row& row) {
  std::string text;
  JsonStream out(text);
  writeObject(fields, row, out);
  text += '\n';
  return text;
}

/// A value in a cell: empty for null, elements of an array with `;` between them.
inline std::string cellOf(const schema::Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  // As short as possible: `1`, not `1.0`.
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (value.is_number_unsigned()) return fmt::to_string(value.get<uint64_t>());
  if (value.is_number_integer()) return fmt::to_string(value.get<int64_t>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ";") + cellOf(element);
  return text;
}

namespace field_detail {

template <typename CellOf, typename... Tables>
void addCsvLine(std::string& out, const CellOf& cellOfField, const Tables&... tables) {
  CsvRow line(out);
  const auto write = [&](const auto& field) {
    if (!field.column.empty()) line.field(cellOfField(field));
  };
  (eachField(tables, write), ...);
  line.end();
}

}  // namespace field_detail

/// The columns of tables whose rows a row can be converted to.
template <typename Row, typename... Tables>
void addCsvRow(std::string& out, const Row& row, const Tables&... tables) {
  field_detail::addCsvLine(out, [&](const auto& field) { return cellOf(field.value(row)); }, tables...);
}

/// A header and a row for each of `rows`.
template <typename Rows, typename... Tables>
std::string writeCsv(const Rows& rows, const Tables&... tables) {
  std::string out;
  field_detail::addCsvLine(out, [](const auto& field) { return field.columnName(); }, tables...);
  for (const auto& row : rows) addCsvRow(out, row, tables...);
  return out;
}

}  // namespace amdahlc
