#include "runs/execution_trace/op_schema.h"

#include <doctest/doctest.h>

using namespace amdahlc::execution_trace;

TEST_CASE("arguments of a declaration with brackets, texts and a star") {
  const auto arguments = schemaArguments(
      "lib::f.out(Tensor(a!)[] self, SymInt[2] stride=[1, 1], str mode=\"a, b)\", __torch__.lib.Group g, *, float "
      "eps=1e-05, "
      "Tensor(b -> *)? x=None, Tensor(c!) out) -> (Tensor(a!)[], Tensor)");
  REQUIRE(arguments.size() == 7);
  CHECK(arguments[0].type == "Tensor(a!)[]");
  CHECK(arguments[0].name == "self");
  CHECK(arguments[0].isWritten);
  CHECK(arguments[1].name == "stride");
  CHECK(arguments[1].defaultValue == "[1, 1]");
  CHECK(arguments[2].defaultValue == "\"a, b)\"");
  CHECK(arguments[3].type == "__torch__.lib.Group");
  CHECK(arguments[4].name == "eps");
  CHECK(arguments[4].defaultValue == "1e-05");
  CHECK_FALSE(arguments[5].isWritten);
  CHECK(arguments[6].name == "out");
  CHECK(arguments[6].isWritten);
}

TEST_CASE("what is no declaration has no arguments") {
  CHECK(schemaArguments("").empty());
  CHECK(schemaArguments("lib::f").empty());
  CHECK(schemaArguments("lib::f() -> ()").empty());
  CHECK(schemaArguments("(((").size() == 1);
  CHECK(schemaArguments("f(a, \"").size() == 2);
}
