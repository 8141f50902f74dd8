#include <doctest/doctest.h>

#include <random>

#include "ir/onnx_schemas/onnx_proto.h"
#include "text_model.h"

#include <onnx/defs/parser.h>

using namespace amdahlc;
using namespace amdahlc::ir;

namespace {

std::string smallModel() {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser::Parse(
      model, R"(<ir_version: 10, opset_import: ["": 23]> g (bool c, float[2,N] x) => (y) <float[2] w = {1, 2}>
    { [a] t = Add (x, x) [b] y = If (c) <then_branch = p () => (float[2,N] r) { r = Neg (t) }, else_branch = q () => (float[2,N] s) { s = Abs (t) }> })");
  REQUIRE(status.IsOK());
  return model.SerializeAsString();
}

/// Imports; every failure must have said why, at the file at least.
bool importBytes(const std::string& bytes) {
  size_t located = 0;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) {
    located += !std::holds_alternative<std::monostate>(diagnostic.primary.location);
    CHECK(diagnostic.message.find('\n') == std::string::npos);
  });
  const bool imported = importOnnx(bytes, "model.onnx", {}, diagnostics).has_value();
  CHECK(located == diagnostics.errorCount() + diagnostics.warningCount());
  CHECK(imported == !diagnostics.hasErrors());
  return imported;
}

/// One field of wire type 2.
std::string field(int number, const std::string& content) {
  std::string result(1, static_cast<char>(number << 3 | 2));
  size_t length = content.size();
  do {
    result += static_cast<char>((length & 0x7f) | (length > 0x7f ? 0x80 : 0));
    length >>= 7;
  } while (length != 0);
  return result + content;
}

}  // namespace

TEST_CASE("a model truncated at any byte is refused with a reason") {
  const std::string bytes = smallModel();
  REQUIRE(importBytes(bytes));
  // At the boundary of a top-level field the rest is a valid model again, perhaps one without opsets.
  for (size_t length = 0; length < bytes.size(); ++length) importBytes(bytes.substr(0, length));
}

TEST_CASE("damaged bytes never crash") {
  const std::string bytes = smallModel();
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    for (int change = 0; change < 1 + round % 4; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    importBytes(damaged);
  }
}

TEST_CASE("the place of the damage is named") {
  std::string bytes = smallModel();
  Diagnostic seen;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { seen = diagnostic; });
  CHECK(!importOnnx(bytes.substr(0, bytes.size() / 2), "model.onnx", {}, diagnostics));
  CHECK(seen.id == DiagId::OnnxParse);
  CHECK(std::get<FileLocation>(seen.primary.location).file == "model.onnx");
  CHECK(seen.message.find("`graph.") != std::string::npos);
}

TEST_CASE("graphs nested without end are refused") {
  std::string graph = field(2, "inner");
  // graph.node.attribute.g, again and again
  for (int depth = 0; depth < 20000; ++depth) graph = field(1, field(5, field(6, graph)));
  CHECK(!importBytes(field(7, graph)));
}

TEST_CASE("text with brackets without end is refused") {
  for (const std::string open : {"(", "{", "<", "[", "seq("}) {
    std::string text = "<ir_version: 10, opset_import: [\"\": 23]> g (";
    for (int depth = 0; depth < 100000; ++depth) text += open;
    const auto imported = test::importText(text);
    CHECK(!imported.module);
    REQUIRE(imported.diagnostics.size() == 1);
    CHECK(std::holds_alternative<SourceRange>(imported.diagnostics[0].primary.location));
  }
}

TEST_CASE("damaged text never crashes, and the error has a place") {
  const std::string text =
      R"(<ir_version: 10, opset_import: ["": 23]> g (bool c, float[2,N] x) => (y) <float[2] w = {1, 2}> { [a] y = Add <k = "s", l = [1, 2]> (x, w) })";
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (int change = 0; change < 1 + round % 3; ++change)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 128);
    if (round % 5 == 0) damaged.resize(random() % damaged.size());
    const auto imported = test::importText(damaged);
    CHECK((imported.module || !imported.diagnostics.empty()));
    for (const auto& diagnostic : imported.diagnostics)
      CHECK(diagnostic.message.find("ParseError") == std::string::npos);
  }
}
