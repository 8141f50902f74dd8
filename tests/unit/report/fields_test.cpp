#include "report/fields.h"

#include <doctest/doctest.h>

#include "report/fields_text.h"
#include "report/section.h"

namespace amdahlc {
namespace {

struct Row {
  std::string name;
  std::optional<int64_t> ns;
  double share = 0;
};

constexpr auto kFields = fields<Row>(field<&Row::name>("name", ""), field<&Row::ns>("ns", "of the row"),
                                     field("share", "", [](const Row& row) { return row.share; }));

TEST_CASE("a column shows the value of its field in its format, or what a function returns") {
  const std::vector<Row> rows{{"first", 1500, 0.25}, {"second", std::nullopt, 0.5}};
  CHECK(writeText(rows,
                  {column("row", kText, fieldOf(kFields, "name")), column("us", kMicroseconds, fieldOf(kFields, "ns")),
                   column("hidden", kNumber, fieldOf(kFields, "ns")).onlyIf(false),
                   column("share", kPercent, fieldOf(kFields, "share")),
                   column("letters", kNumber, [](const Row& row) { return row.name.size(); })},
                  80) ==
        "  row        us   share  letters\n  first   1.500  25.0 %        5\n  second      -  50.0 %        6\n");
}

TEST_CASE("a table shows its first rows, and says how many more there are") {
  const std::vector<Row> rows(3, {"row", 1, 1});
  CHECK(writeText(rows, {column("name", kWord, fieldOf(kFields, "name"))}, 80, {2}) ==
        "  name\n  row\n  row\n  and 1 more\n");
}

/// Whether the compiler can make the table that the function returns.
template <typename Table>
concept IsTable = requires { typename std::bool_constant<(Table{}(), true)>; };

constexpr auto kObjects = objects<kFields>("rows", "", [](const Row& row) { return std::vector{row}; });
template <bool isInCsv>
constexpr auto oneColumn = [] { return fields<Row>(isInCsv ? inCsv(kObjects) : kObjects); };
template <bool isInCsv>
constexpr auto allColumns = [] { return isInCsv ? inCsv(fields<Row>(kObjects)) : fields<Row>(kObjects); };

TEST_CASE("a field with objects is no column of CSV, alone or in a table") {
  CHECK(IsTable<decltype(oneColumn<false>)>);
  CHECK_FALSE(IsTable<decltype(oneColumn<true>)>);
  CHECK(IsTable<decltype(allColumns<false>)>);
  CHECK_FALSE(IsTable<decltype(allColumns<true>)>);
}

schema::Json schemaOfRun(std::string_view key) {
  for (const ReportSection* section : reportSections())
    for (const auto& field : section->runFields)
      if (field.name() == key) return field.schema();
  return {};
}

TEST_CASE("advice may cost time by itself, but takes no negative time") {
  const schema::Json advice = schemaOfRun("advice")["items"]["properties"];
  CHECK_FALSE(advice["saves_wall_ns"].contains("minimum"));
  CHECK(advice["wall_ns"]["minimum"] == 0);
  CHECK(FieldValue<SignedInteger>::json({-2}) == -2);
}

}  // namespace
}  // namespace amdahlc
