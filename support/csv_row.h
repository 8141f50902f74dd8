/// Writes rows of CSV files as RFC 4180 defines them.
#pragma once

#include <string>
#include <string_view>

#include "support/printable.h"

namespace amdahlc {

/// Collects fields, quoting those that need it; `end` closes the row with CRLF. Control characters of names from inputs
/// become question marks.
class CsvRow {
 public:
  explicit CsvRow(std::string& out) : out_(out) {}
  CsvRow& field(std::string_view text) {
    if (!first_) out_ += ',';
    first_ = false;
    const std::string plain = printable(text);
    if (plain.find_first_of(",\"") == std::string::npos) {
      out_ += plain;
      return *this;
    }
    out_.append(1, '"').append(replaced(plain, {{'"', "\"\""}})).append(1, '"');
    return *this;
  }
  void end() { out_ += "\r\n"; }

 private:
  std::string& out_;
  bool first_ = true;
};

/// A CSV text of `CsvRow` whose fields spreadsheets take as text: those that begin with `=`, `+`, `-` or `@` and are no
/// number get an apostrophe before it. Spreadsheets would compute others, which may open files and addresses.
std::string withoutFormulas(std::string_view csv);

}  // namespace amdahlc
