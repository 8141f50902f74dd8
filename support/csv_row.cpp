#include "support/csv_row.h"

#include <algorithm>
#include <charconv>

namespace amdahlc {
namespace {

/// Whether a cell with this text is computed. Some spreadsheets take the wide forms of the signs, too.
bool isFormula(std::string_view field) {
  constexpr std::string_view kBegin = "=+-@", kWide[] = {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"};
  for (const std::string_view sign : kWide)
    if (field.starts_with(sign)) return true;
  if (field.empty() || kBegin.find(field.front()) == std::string_view::npos) return false;
  double number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error != std::errc() || end != field.data() + field.size();
}

/// A semicolon or a tab ends a cell where the spreadsheet's locale says so.
void appendGuarded(std::string& out, std::string_view field) {
  for (;;) {
    const size_t end = std::min(field.find_first_of(";\t"), field.size());
    if (isFormula(field.substr(0, end))) out += '\'';
    out += field.substr(0, std::min(end + 1, field.size()));
    if (end == field.size()) return;
    field.remove_prefix(end + 1);
  }
}

}  // namespace

std::string withoutFormulas(std::string_view csv) {
  std::string out;
  while (!csv.empty()) {
    const bool quoted = csv.front() == '"';
    size_t end = quoted ? 1 : csv.find_first_of(",\r");
    // A quote inside is doubled.
    while (quoted && end < csv.size() && (csv[end] != '"' || csv.substr(end).starts_with("\"\"")))
      end += csv[end] == '"' ? 2 : 1;
    if (quoted) ++end;
    end = std::min(end, csv.size());
    const std::string_view field = quoted ? csv.substr(1, end - 1) : csv.substr(0, end);
    if (quoted) out += '"';
    appendGuarded(out, quoted ? field.substr(0, field.size() - 1) : field);
    if (quoted) out += '"';
    csv.remove_prefix(end);
    const size_t next = std::min(csv.find_first_not_of(",\r\n"), csv.size());
    // One separator, or the end of a row.
    const size_t separator = csv.starts_with(',') ? 1 : next;
    out += csv.substr(0, separator);
    csv.remove_prefix(separator);
  }
  return out;
}

}  // namespace amdahlc
