/// Tables of a report as columns with typed cells, for programs: those of CSV outputs, of the same tables of fields.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace amdahlc {

struct Report;

/// `std::monostate` is a fact that was not established. A time that is a whole number of nanoseconds is an integer. A
/// list is a text, as in CSV.
using Cell = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct Column {
  std::string name;
  /// As many in each column of a table.
  std::vector<Cell> cells;
};

/// The table of the output `csv`: a row for each kernel of each run.
std::vector<Column> kernelTable(const Report& report);

}  // namespace amdahlc
