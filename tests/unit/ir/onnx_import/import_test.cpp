#include <doctest/doctest.h>

#include "text_model.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using amdahlc::ir::test::importGraph;
using amdahlc::ir::test::importText;

TEST_CASE("a graph becomes ops, values and constants") {
  const auto imported = importGraph(R"(main (float16[batch,4] x, int64[2] unused) => (float16[batch,3] y)
    <float16[4,3] w = {0,1,2,3,4,5,6,7,8,9,10,11}, int64[2] shape = {-1, 3}>
    { [mm] t = MatMul (x, w)  [rs] y = Reshape <allowzero=1> (t, shape) })");
  REQUIRE(imported.module);
  const Module& module = *imported.module;
  CHECK(module.modelName == "model.onnxtxt");
  CHECK(module.opset("") == 23);
  REQUIRE(module.ops.size() == 2);
  CHECK(imported.text(imported.op(0).name) == "mm");
  CHECK(module.graphs[kMainGraph].inputs.size() == 2);
  CHECK(imported.type("t") == "float16[batch,3]");
  CHECK(imported.value("w").kind == Value::Kind::Constant);
  CHECK(imported.value("w").byteSize == 24);
  CHECK(imported.value("shape").constant->ints == std::vector<int64_t>{-1, 3});
  CHECK(std::get<int64_t>(imported.op(1).attribute("allowzero")->value) == 1);
}

TEST_CASE("-dim fixes a symbolic dimension before shapes are inferred") {
  const char* graph = "g (float[batch,4] x) => (y) { y = Concat <axis=0> (x, x) }";
  CHECK(importGraph(graph, {{"batch", 8}}).type("y") == "float32[16,4]");
  const auto unknown = importGraph(graph, {{"bach", 8}});
  CHECK(!unknown.module);
  REQUIRE(unknown.diagnostics.size() == 1);
  CHECK(unknown.diagnostics[0].message == "the model has no symbolic dimension `bach`; did you mean `batch`?");
}

TEST_CASE("constants keep few elements, exactly, of every type") {
  const auto imported = importText(R"(<ir_version: 10, opset_import: ["": 23]> g (float[1] x) => (y)
    <float16[2] half = {15360, 49152}, bfloat16[1] brain = {16256}, float8e4m3fn[2] eight = {56, 184}, uint4[3] four = {33, 3}, int4[2] signed = {31},
     bool[2] flags = {1, 0}, int8[1] byte = {-5}, double[1] wide = {0.1}>
    { y = Identity (x) })");
  REQUIRE(imported.module);
  CHECK(imported.value("half").constant->floats == std::vector<double>{1, -2});
  CHECK(imported.value("brain").constant->floats == std::vector<double>{1});
  CHECK(imported.value("eight").constant->floats == std::vector<double>{1, -1});
  CHECK(imported.value("four").constant->ints == std::vector<int64_t>{1, 2, 3});
  CHECK(imported.value("four").byteSize == 2);
  CHECK(imported.value("signed").constant->ints == std::vector<int64_t>{-1, 1});
  CHECK(imported.value("flags").constant->ints == std::vector<int64_t>{1, 0});
  CHECK(imported.value("byte").constant->ints == std::vector<int64_t>{-5});
  CHECK(imported.value("wide").constant->floats == std::vector<double>{0.1});
}

TEST_CASE("an initializer that is an input as well is a constant") {
  const auto imported = importText(
      R"(<ir_version: 3, opset_import: ["": 7]> g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> { y = Add (x, w) })");
  REQUIRE(imported.module);
  CHECK(imported.module->graphs[kMainGraph].inputs.size() == 1);
  CHECK(imported.value("w").kind == Value::Kind::Constant);
}

TEST_CASE("bodies are regions that see the values around them") {
  const auto imported = importGraph(R"(g (bool c, float[2] x) => (y)
    { [branch] y = If (c) <then_branch = t () => (float[2] a) { [inner] a = Neg (x) }, else_branch = e () => (float[2] b) { b = Abs (x) }> [after] z = Neg (y) })");
  REQUIRE(imported.module);
  const Module& module = *imported.module;
  REQUIRE(module.ops.size() == 4);
  REQUIRE(imported.op(0).regions.size() == 2);
  CHECK(imported.op(0).regions[0].name == "then_branch");
  const Graph& body = module.graphs[imported.op(0).regions[0].graph];
  CHECK(body.parent == OpId(0));
  CHECK(body.order == std::vector<OpId>{OpId(1)});
  CHECK(imported.op(1).inputs[0] == module.graphs[kMainGraph].inputs[1]);
  CHECK(imported.text(imported.op(3).name) == "after");
  CHECK(imported.type("y") == "float32[2]");
}

TEST_CASE("a name of a body that an enclosing graph defines, even later, is written apart") {
  const auto imported = importGraph(R"(g (bool c, float[2] x) => (z)
    { y = If (c) <then_branch = t () => (float[2] late) { late = Neg (x) }, else_branch = e () => (float[2] b) { b = Abs (x) }> late = Neg (y) z = Abs (late) })");
  REQUIRE(imported.module);
  CHECK(imported.type("late@1") == "float32[2]");
  REQUIRE(imported.module->dataProblems.size() == 1);
  CHECK(imported.module->dataProblems[0].name == "shadowed-name");
}

TEST_CASE("functions are inlined, and a function that calls itself is refused") {
  const std::string head =
      "<ir_version: 10, opset_import: [\"\": 23, \"own\": 1]>\n g (float[2] x) => (y) { y = own.f (x) }\n";
  const auto imported =
      importText(head + "<domain: \"own\", opset_import: [\"\": 23]> f (a) => (b) { t = Neg (a) b = Abs (t) }");
  REQUIRE(imported.module);
  CHECK(imported.module->ops.size() == 2);
  CHECK(imported.type("y") == "float32[2]");
  const auto recursive =
      importText(head + "<domain: \"own\", opset_import: [\"\": 23, \"own\": 1]> f (a) => (b) { b = own.f (a) }");
  CHECK(!recursive.module);
  REQUIRE(recursive.diagnostics.size() == 1);
  CHECK(recursive.diagnostics[0].id == DiagId::OnnxInvalid);
}

TEST_CASE("functions that would explode are refused before they are inlined") {
  std::string text =
      "<ir_version: 10, opset_import: [\"\": 23, \"own\": 1]>\n g (float[2] x) => (y) { y = own.f0 (x) }\n";
  for (int i = 0; i < 12; ++i) {
    text += "<domain: \"own\", opset_import: [\"\": 23, \"own\": 1]> f" + std::to_string(i) + " (a) => (b) {";
    for (int call = 0; call < 10; ++call)
      text += " " + std::string(call == 9 ? "b" : "t" + std::to_string(call)) + " = " +
              (i == 11 ? "Neg" : "own.f" + std::to_string(i + 1)) + " (a)";
    text += " }\n";
  }
  const auto imported = importText(text);
  CHECK(!imported.module);
  REQUIRE(imported.diagnostics.size() == 1);
  CHECK(imported.diagnostics[0].message ==
        "the model has at least 1099511627776 nodes once its functions are inlined; the limit is 112100, which is "
        "100000 and 100 for each node of the file");
}

TEST_CASE("one node without a shape does not cost the others theirs") {
  const auto imported = importGraph("g (float[2,3] x, float[5,4] w) => (y) { bad = MatMul (x, w)  y = Transpose (x) }");
  REQUIRE(imported.module);
  CHECK(imported.type("y") == "float32[3,2]");
  REQUIRE(imported.module->dataProblems.size() == 1);
  CHECK(imported.module->dataProblems[0].name == "shape-not-inferred");
}
