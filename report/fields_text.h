/// Tables for a terminal from tables of fields: a column is a field with a title and a format.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/fields.h"
#include "report/text_table.h"
#include "support/decimal_time.h"
#include "support/ratio.h"

namespace amdahlc {

/// How a column shows its values.
struct CellFormat {
  TextTable::Align align;
  TextTable::Width width;
  std::string (*text)(const schema::Json&);
};

inline constexpr CellFormat kWord{TextTable::Align::Left, TextTable::Width::Fixed, cellOf};
inline constexpr CellFormat kText{TextTable::Align::Left, TextTable::Width::LosesMiddle, cellOf};
/// Of a module path: the end tells which module it is.
inline constexpr CellFormat kPath{TextTable::Align::Left, TextTable::Width::LosesBeginning, cellOf};
/// Of an array.
inline constexpr CellFormat kFirstText{TextTable::Align::Left, TextTable::Width::LosesMiddle,
                                       [](const schema::Json& value) { return cellOf(value.front()); }};
inline constexpr CellFormat kNumber{TextTable::Align::Right, TextTable::Width::Fixed, cellOf};
inline constexpr CellFormat kMicroseconds{TextTable::Align::Right, TextTable::Width::Fixed, [](const schema::Json& ns) {
                                            return ns.is_null() ? std::string("-") : formatUs(ns.get<int64_t>());
                                          }};
inline constexpr CellFormat kMilliseconds{TextTable::Align::Right, TextTable::Width::Fixed, [](const schema::Json& ns) {
                                            return ns.is_null() ? std::string("n/a") : formatMs(ns.get<int64_t>());
                                          }};
inline constexpr CellFormat kPercent{TextTable::Align::Right, TextTable::Width::Fixed, [](const schema::Json& share) {
                                       return share.is_null() ? std::string() : formatPercent(share.get<double>());
                                     }};
/// A speed-up; null is no limit.
inline constexpr CellFormat kSpeedup{
    TextTable::Align::Right, TextTable::Width::Fixed, [](const schema::Json& factor) {
      return formatSpeedup(factor.is_null() ? std::nullopt : std::optional(factor.get<double>()));
    }};

template <typename Row>
struct TextColumn {
  std::string title;
  CellFormat format;
  std::function<schema::Json(const Row&)> value;
  bool isShown = true;

  TextColumn onlyIf(bool condition) && {
    isShown = condition;
    return std::move(*this);
  }
};

/// The field with this key, suffix included.
template <typename Fields>
consteval auto fieldOf(const Fields& fields, std::string_view key) {
  return *std::ranges::find_if(fields, [&](const auto& field) {
    return key.starts_with(field.key) && key.substr(field.key.size()) == field.suffix;
  });
}

template <typename Row>
TextColumn<Row> column(std::string title, const CellFormat& format, const Field<Row>& field) {
  return {std::move(title), format, field.value};
}
/// A column of what no field has. `valueOf` returns what a function of a field may return.
template <typename Function>
  requires requires { &Function::operator(); }
auto column(std::string title, const CellFormat& format, Function valueOf) {
  using Row = RowOf<Function>;
  using Value = std::decay_t<std::invoke_result_t<Function, const Row&>>;
  return TextColumn<Row>{std::move(title), format, [valueOf = std::move(valueOf)](const Row& row) -> schema::Json {
                           return FieldValue<Value>::json(valueOf(row));
                         }};
}

/// How much of a table is shown.
struct ShownRows {
  size_t most = std::numeric_limits<size_t>::max();
  /// The line for the others, with `{}` for their number.
  std::string_view others = "and {} more";
};

template <typename Row>
std::string writeText(const std::vector<Row>& rows, std::vector<TextColumn<Row>> columns, unsigned width,
                      const ShownRows& shown = {}) {
  std::erase_if(columns, [](const TextColumn<Row>& column) { return !column.isShown; });
  TextTable table;
  for (const TextColumn<Row>& column : columns) table.column(column.title, column.format.align, column.format.width);
  for (size_t i = 0; i < std::min(rows.size(), shown.most); ++i) {
    std::vector<std::string> cells;
    for (const TextColumn<Row>& column : columns) cells.push_back(column.format.text(column.value(rows[i])));
    table.row(std::move(cells));
  }
  std::string text = table.print(width);
  if (rows.size() > shown.most)
    text += fmt::format("  {}\n", fmt::vformat(shown.others, fmt::make_format_args(rows.size() - shown.most)));
  return text;
}

}  // namespace amdahlc
