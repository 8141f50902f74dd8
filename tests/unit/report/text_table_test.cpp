#include "report/text_table.h"

#include <doctest/doctest.h>

namespace amdahlc {
namespace {

using Align = TextTable::Align;

TextTable table() {
  TextTable table;
  table.column("name", Align::Left, TextTable::Width::LosesMiddle);
  table.column("us", Align::Right);
  table.row({"bert.encoder.layer.0.attention", "1.500"});
  table.row({"cls", "12.000"});
  return table;
}

TEST_CASE("columns are as wide as their cells") {
  CHECK(table().print(80) ==
        "  name                                us\n  bert.encoder.layer.0.attention   1.500\n  cls                     "
        "        12.000\n");
}

TEST_CASE("a flexible column gives way from the middle of its cells") {
  CHECK(table().print(24) == "  name                us\n  bert.e..ention   1.500\n  cls             12.000\n");
}

TEST_CASE("a column whose cells tell most at their end gives way from the beginning") {
  TextTable table;
  table.column("in", Align::Left, TextTable::Width::LosesBeginning);
  table.row({"bert.encoder.layer.0.attention"});
  table.row({"cls"});
  CHECK(table.print(18) == "  in\n  ..er.0.attention\n  cls\n");
}

TEST_CASE("cells are counted in code points, not in bytes") {
  TextTable table;
  table.column("a", Align::Left);
  table.column("b", Align::Right);
  table.row({"\xC3\xA4\xC3\xB6", "1"});
  table.row({"xyz", "2"});
  CHECK(table.print(80) == "  a    b\n  \xC3\xA4\xC3\xB6   1\n  xyz  2\n");
}

TEST_CASE("a cell has at most a thousand characters, however wide the table may be") {
  TextTable table;
  table.column("name", Align::Left, TextTable::Width::LosesMiddle);
  table.row({std::string(5000, 'a') + "end"});
  const std::string text = table.print(1u << 30);
  CHECK(text.size() == std::string("  name\n").size() + 2 + 1000 + 1);
  CHECK(text.ends_with("aend\n"));
}

}  // namespace
}  // namespace amdahlc
