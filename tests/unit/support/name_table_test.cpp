#include "support/name_table.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace amdahlc;

TEST_CASE("texts are numbered in the order in which they come, each once") {
  NameTable table;
  CHECK(table.find("a") == NameTable::kUnknown);
  CHECK(table.add("a") == std::pair(0u, true));
  CHECK(table.add("b") == std::pair(1u, true));
  const std::string again = "a";
  CHECK(table.add(again) == std::pair(0u, false));
  CHECK(table[0].data() != again.data());
  CHECK(table.find("b") == 1);
  CHECK(table.find("c") == NameTable::kUnknown);
  CHECK(table.size() == 2);
}

TEST_CASE("a table that grew finds all that it has, and nothing else") {
  std::vector<std::string> texts;
  for (int i = 0; i < 10'000; ++i) texts.push_back("value_" + std::to_string(i));
  NameTable table;
  for (uint32_t i = 0; i < texts.size(); ++i) REQUIRE(table.add(texts[i]) == std::pair(i, true));
  for (uint32_t i = 0; i < texts.size(); ++i) {
    REQUIRE(table.find(texts[i]) == i);
    REQUIRE(table[i] == texts[i]);
    REQUIRE(table.find(texts[i] + "x") == NameTable::kUnknown);
  }
}
