#include "support/csv_row.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

TEST_CASE("fields with a comma, a quote or a line end are quoted") {
  std::string out;
  CsvRow(out).field("plain").field("a,b").field("say \"hi\"").field("two\nlines").field("").end();
  CHECK(out == "plain,\"a,b\",\"say \"\"hi\"\"\",two?lines,\r\n");
}

}  // namespace
}  // namespace amdahlc
