/// Writes rows of CSV files as RFC 4180 defines them.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc {

/// Collects fields, quoting those that need it; `end` closes the row with CRLF.
class CsvRow {
 public:
  explicit CsvRow(std::string& out) : out_(out) {}
  CsvRow& field(std::string_view text) {
    if (!first_) out_ += ',';
    first_ = false;
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += text;
      return *this;
    }
    out_ += '"';
    for (char c : text) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
    return *this;
  }
  void end() { out_ += "\r\n"; }

 private:
  std::string& out_;
  bool first_ = true;
};

}  // namespace amdahlc
