#include "support/csv_row.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

TEST_CASE("fields are quoted where a comma, a quote or a line end asks for it") {
  std::string out;
  CsvRow(out).field("plain").field("a,b").field("say \"hi\"").field("two\nlines").field("").end();
  CHECK(out == "plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\r\n");
}

}  // namespace
}  // namespace amdahlc
