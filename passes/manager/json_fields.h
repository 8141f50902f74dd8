/// Objects of a report as tables of their fields. The writer and the JSON Schema read the same table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "passes/manager/json_schema.h"
#include "passes/manager/json_stream.h"
#include "passes/manager/report_values.h"
#include "support/statistics.h"

namespace amdahlc {

/// A key of an object that is made of a `Row`.
template <typename Row>
struct JsonField {
  std::string key;
  /// Makes its schema. Reports are written more often than their schema, which takes longer to make than small reports.
  std::function<schema::Json()> schema;
  /// For users, a clause.
  std::string description;
  /// Writes the value.
  std::function<void(const Row&, JsonStream&)> write;
};

template <typename Row>
using JsonFields = std::vector<JsonField<Row>>;

/// A field whose value is a small tree.
template <typename Row, typename ValueOf>
JsonField<Row> jsonField(std::string key, schema::Json type, std::string description, ValueOf valueOf) {
  return {std::move(key), [type = std::move(type)] { return type; }, std::move(description),
          [valueOf = std::move(valueOf)](const Row& row, JsonStream& out) { out.value(valueOf(row)); }};
}

/// The object of a row.
template <typename Row>
void writeObject(const JsonFields<Row>& fields, const Row& row, JsonStream& out) {
  out.beginObject();
  for (const JsonField<Row>& field : fields) {
    out.key(field.key);
    field.write(row, out);
  }
  out.end();
}

/// The schema of these objects: every key is there.
template <typename Row>
schema::Json schemaOf(const JsonFields<Row>& fields) {
  schema::Json properties = schema::Json::object(), required = schema::Json::array();
  for (const JsonField<Row>& field : fields) {
    schema::Json type = field.schema();
    if (!field.description.empty()) type["description"] = field.description;
    properties[field.key] = std::move(type);
    required.push_back(field.key);
  }
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

/// A field with an array of objects.
template <typename Row, typename Element, typename RowsOf>
JsonField<Row> jsonArray(std::string key, std::string description, JsonFields<Element> fields, RowsOf rowsOf) {
  const auto shared = std::make_shared<const JsonFields<Element>>(std::move(fields));
  return {std::move(key), [shared] { return schema::arrayOf(schemaOf(*shared)); }, std::move(description),
          [shared, rowsOf = std::move(rowsOf)](const Row& row, JsonStream& out) {
            out.beginArray();
            for (const Element& element : rowsOf(row)) writeObject(*shared, element, out);
            out.end();
          }};
}

/// The same array, or null where `rowsOf` returns nullopt.
template <typename Row, typename Element, typename RowsOf>
JsonField<Row> jsonArrayOrNull(std::string key, std::string description, JsonFields<Element> fields, RowsOf rowsOf) {
  const auto shared = std::make_shared<const JsonFields<Element>>(std::move(fields));
  return {std::move(key), [shared] { return schema::orNull(schema::arrayOf(schemaOf(*shared))); },
          std::move(description),
          [shared, rowsOf = std::move(rowsOf)](const Row& row, JsonStream& out) {
            const auto rows = rowsOf(row);
            if (!rows) return out.value(nullptr);
            out.beginArray();
            for (const Element& element : *rows) writeObject(*shared, element, out);
            out.end();
          }};
}

/// A field with an object of other fields of the same row.
template <typename Row>
JsonField<Row> jsonObject(std::string key, std::string description, JsonFields<Row> fields) {
  const auto shared = std::make_shared<const JsonFields<Row>>(std::move(fields));
  return {std::move(key), [shared] { return schemaOf(*shared); }, std::move(description),
          [shared](const Row& row, JsonStream& out) { writeObject(*shared, row, out); }};
}

/// The same object, or null where `isThere` is false.
template <typename Row, typename IsThere>
JsonField<Row> jsonObjectOrNull(std::string key, std::string description, JsonFields<Row> fields, IsThere isThere) {
  const auto shared = std::make_shared<const JsonFields<Row>>(std::move(fields));
  return {std::move(key), [shared] { return schema::orNull(schemaOf(*shared)); }, std::move(description),
          [shared, isThere = std::move(isThere)](const Row& row, JsonStream& out) {
            isThere(row) ? writeObject(*shared, row, out) : out.value(nullptr);
          }};
}

/// A field with an object of another row, or null where `rowOf` returns nullopt.
template <typename Row, typename Element, typename RowOf>
JsonField<Row> jsonRecordOrNull(std::string key, std::string description, JsonFields<Element> fields, RowOf rowOf) {
  const auto shared = std::make_shared<const JsonFields<Element>>(std::move(fields));
  return {std::move(key), [shared] { return schema::orNull(schemaOf(*shared)); }, std::move(description),
          [shared, rowOf = std::move(rowOf)](const Row& row, JsonStream& out) {
            const std::optional<Element> element = rowOf(row);
            element ? writeObject(*shared, *element, out) : out.value(nullptr);
          }};
}

/// A field with an object of which the keys are names. `rowsOf` returns pairs of a name and the row of its object.
template <typename Row, typename Element, typename RowsOf>
JsonField<Row> jsonByName(std::string key, std::string description, JsonFields<Element> fields, RowsOf rowsOf) {
  const auto shared = std::make_shared<const JsonFields<Element>>(std::move(fields));
  return {std::move(key), [shared] { return schema::byName(schemaOf(*shared)); }, std::move(description),
          [shared, rowsOf = std::move(rowsOf)](const Row& row, JsonStream& out) {
            out.beginObject();
            for (const auto& [name, element] : rowsOf(row)) {
              out.key(name);
              writeObject(*shared, element, out);
            }
            out.end();
          }};
}

/// The same with small values: `valuesOf` returns pairs of a name and a value of this type.
template <typename Row, typename ValuesOf>
JsonField<Row> jsonValuesByName(std::string key, schema::Json type, std::string description, ValuesOf valuesOf) {
  return {std::move(key), [type = std::move(type)] { return schema::byName(type); }, std::move(description),
          [valuesOf = std::move(valuesOf)](const Row& row, JsonStream& out) {
            out.beginObject();
            for (const auto& [name, value] : valuesOf(row)) out.member(name, value);
            out.end();
          }};
}

/// Four fields of a measured time: `KEY`, `KEY_total`, `KEY_stddev`, `KEY_median`. `timeOf` returns an optional
/// `TimeStatistics`; where `isOnlyMean`, only the mean is known.
template <typename Row, typename TimeOf, typename IsOnlyMean>
void addTimeFields(JsonFields<Row>& fields, const std::string& key, const std::string& description, TimeOf timeOf,
                   IsOnlyMean isOnlyMean) {
  const auto add = [&](const std::string& suffix, schema::Json type, const std::string& what, auto figure,
                       bool isMean) {
    fields.push_back(jsonField<Row>(key + suffix, schema::orNull(std::move(type)), what,
                                    [timeOf, isOnlyMean, figure, isMean](const Row& row) -> schema::Json {
                                      const std::optional<TimeStatistics> time = timeOf(row);
                                      return time && (isMean || !isOnlyMean(row)) ? schema::Json((*time).*figure)
                                                                                  : schema::Json(nullptr);
                                    }));
  };
  add("", schema::count(), description + ", nanoseconds per iteration: the mean, rounded half to even",
      &TimeStatistics::meanNs, true);
  add("_total", schema::count(), "the exact sum over the iterations", &TimeStatistics::totalNs, false);
  add("_stddev", schema::quantity(), "standard deviation over the iterations", &TimeStatistics::standardDeviationNs,
      false);
  add("_median", schema::count(), "median over the iterations", &TimeStatistics::medianNs, false);
}

}  // namespace amdahlc
