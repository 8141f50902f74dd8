/// Rows of CSV from tables of fields.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "report/fields.h"
#include "support/csv_row.h"

namespace amdahlc {

/// A value in a cell: empty for null, elements of an array with `;` between them.
inline std::string cellOf(const schema::Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  // As short as possible: `1`, not `1.0`.
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const auto& element : value) text += (text.empty() ? "" : ";") + cellOf(element);
  return text;
}

/// A header and a row for each of `rows`, of those fields that have small values.
template <typename Fields, typename Rows>
std::string writeCsv(const Fields& fields, const Rows& rows) {
  std::string out;
  CsvRow header(out);
  for (const auto& field : fields)
    if (field.value != nullptr) header.field(field.name());
  header.end();
  for (const auto& row : rows) {
    CsvRow line(out);
    for (const auto& field : fields)
      if (field.value != nullptr) line.field(cellOf(field.value(row)));
    line.end();
  }
  return out;
}

}  // namespace amdahlc
