#include "support/edit_distance.h"

#include <doctest/doctest.h>

using namespace amdahlc;

TEST_CASE("the distance counts edits and neighbours that swapped places, not case") {
  CHECK(editDistance("MatMul", "matmul", 3) == 0);
  CHECK(editDistance("MatMull", "MatMul", 3) == 1);
  CHECK(editDistance("fsue", "fuse", 3) == 1);
  CHECK(editDistance("kitten", "sitting", 5) == 3);
  CHECK(editDistance("abcdef", "uvwxyz", 2) == 3);
  CHECK(editDistance("", "abc", 3) == 3);
  CHECK(editDistance("ab", "ba", 0) == 1);
}

TEST_CASE("only a near name is suggested, the first of equals") {
  const std::vector<std::string> passes{"simplify", "fuse", "trace-bind", "timing"};
  CHECK(closestName("simplfy", passes) == "simplify");
  CHECK(closestName("tracebind", passes) == "trace-bind");
  CHECK(!closestName("emit", passes));
  CHECK(closestName("cat", std::vector<std::string>{"car", "bat"}) == "car");
  CHECK(!closestName("a", std::vector<std::string>{"b"}));
  CHECK(!closestName("", passes));
  CHECK(didYouMean("fsue", passes) == "; did you mean `fuse`?");
  CHECK(didYouMean("zzzz", passes).empty());
}

TEST_CASE("where no name is near, all known ones are listed") {
  const std::vector<std::string> known{"json", "csv"};
  CHECK(didYouMeanOrKnown("jsno", known) == "; did you mean `json`?");
  CHECK(didYouMeanOrKnown("spreadsheet", known) == "; known: `json`, `csv`");
  CHECK(didYouMeanOrKnown("spreadsheet", known, "") == "; known: json, csv");
  CHECK(didYouMeanOrKnown("spreadsheet", {}).empty());
}
