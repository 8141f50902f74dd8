#include <doctest/doctest.h>

#include "ir/facets/bound.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

TEST_CASE(
    "a node is written by its name, or by type and index where that is empty or repeated, after parent and branch in a "
    "body") {
  ModuleBuilder b;
  b.input("x");
  const auto named = [&](OpId op, const char* text) { b.module.ops[op].name = b.module.strings.intern(text); };
  const OpId alone = b.op("Relu", {"x"}, {"a"});
  const OpId twice = b.op("Relu", {"x"}, {"b"});
  const OpId again = b.op("Neg", {"x"}, {"c"});
  const OpId unnamed = b.op("If", {"x"}, {"d"});
  const GraphId body = b.addGraph(unnamed, "then_branch");
  const OpId inner = b.op("Loop", {"x"}, {"e"}, body);
  const GraphId innermost = b.addGraph(inner, "body");
  const OpId deep = b.op("Abs", {"x"}, {"f"}, innermost);
  named(alone, "/layer/Relu");
  named(twice, "same");
  named(again, "same");
  named(inner, "loop");
  CHECK(b.module.displayName(alone) == "/layer/Relu");
  CHECK(b.module.displayName(twice) == "Relu#1");
  CHECK(b.module.displayName(again) == "Neg#2");
  CHECK(b.module.displayName(unnamed) == "If#3");
  CHECK(b.module.displayName(inner) == "If#3/then_branch/loop");
  CHECK(b.module.displayName(deep) == "If#3/then_branch/loop/body/Abs#5");

  named(again, "other");
  CHECK(b.module.displayName(again) == "other");
  CHECK(b.module.displayName(twice) == "same");
  const OpId later = b.op("Relu", {"x"}, {"g"});
  named(later, "same");
  CHECK(b.module.displayName(twice) == "Relu#1");
}

TEST_CASE("attributes are found by name, opsets by domain, problems added up by name") {
  ModuleBuilder b;
  b.input("x");
  const OpId op = b.op("Relu", {"x"}, {"a"});
  b.module.ops[op].attributes = {{"alpha", int64_t{1}}, {"beta", 2.0}};
  REQUIRE(b.module.ops[op].attribute("beta") != nullptr);
  CHECK(std::get<double>(b.module.ops[op].attribute("beta")->value) == 2.0);
  CHECK(b.module.ops[op].attribute("aleph") == nullptr);
  CHECK(b.module.opset("") == 18);
  CHECK(b.module.opset("ai.onnx") == 18);
  CHECK(b.module.opset("other") == 0);
  b.module.dataProblems.add("late", 1, "z");
  b.module.dataProblems.add("early", 1, "a");
  b.module.dataProblems.add("late", 2, "z");
  REQUIRE(b.module.dataProblems.size() == 2);
  CHECK(b.module.dataProblems[0].name == "early");
  CHECK(b.module.dataProblems[1].count == 3);
}

TEST_CASE("evidence prints in the order of its enumerators") {
  CHECK(describe(EvidenceSet{0}) == "");
  CHECK(describe(static_cast<EvidenceSet>(Evidence::Order) | static_cast<EvidenceSet>(Evidence::Name)) == "name+order");
}
