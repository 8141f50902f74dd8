#include "ir/onnx_export/program_file.h"

#include <doctest/doctest.h>
#include <onnx/checker.h>

#include <optional>
#include <string>
#include <vector>

#include "grammar/rule_loader.h"
#include "ir/onnx_import/onnx_import.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "ir/text.h"

using namespace amdahlc;
using namespace amdahlc::ir;

namespace {

struct ReadProgram {
  std::optional<Module> module;
  std::string messages;
};

/// A program as IR text, without its first lines.
ReadProgram readText(const std::string& text) {
  ReadProgram result;
  SourceManager sources;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { result.messages += diagnostic.message + "\n"; });
  const BufferId buffer = sources.add("program.air", "amdahlc.ir 1\nmodel \"program.onnx\"\n" + text);
  result.module = parse(buffer, sources, grammar::ruleReader(sources), diagnostics);
  return result;
}

ReadProgram readFile(const std::string& bytes) {
  ReadProgram result;
  DiagnosticEngine diagnostics([&](const Diagnostic& diagnostic) { result.messages += diagnostic.message + "\n"; });
  result.module = importOnnx(bytes, "program.onnx", {}, diagnostics);
  return result;
}

/// The file of a program that is given as IR text.
std::string fileOf(const std::string& text) {
  const ReadProgram program = readText(text);
  REQUIRE_MESSAGE(program.module, program.messages);
  const Known<std::string> bytes = writeProgram(*program.module);
  REQUIRE(bytes);
  return *bytes;
}

onnx::ModelProto messageOf(const std::string& bytes) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(bytes));
  return model;
}

/// The domain in which the only operator of a program is written, whose operands are `%x` and `%y`.
std::string domainOf(const std::string& operands, const std::string& op) {
  const std::string text = "front-end trace\nopset ai.onnx 23\ngraph 0 program {\n" + operands + "#0 %z = " + op +
                           " name n call n target \"lib::n\"\nreturn (%z)\n}\n";
  return messageOf(fileOf(text)).graph().node(0).domain();
}

constexpr char kProgram[] = R"air(front-end execution-trace
data-edges 3
opset ai.onnx 23
target runtime pytorch vendor nvidia device "NVIDIA H100 80GB HBM3"
scope Encoder_0 class Encoder
scope Encoder_0.Linear_0 class Linear

graph 0 program {
  input %x : float32[2,4]
  input %unknown : ?
  input %unranked : bfloat16[*]
  input %untyped : undefined[3]
  constant %w : float32[4,4] = ...
  constant %shape : int64[2] = [4, 2]
  constant %half : float32[] = [0.5]
  #0 %h = MatMul(%x, %w) : float32[2,4] name Encoder_0.Linear_0/linear scope Encoder_0.Linear_0 call Encoder_0.Linear_0/linear target "aten::linear"
  #1 %c = Conv(%h, %unknown, _, %w) : ? name Encoder_0/conv scope Encoder_0 call Encoder_0/conv target "aten::conv" metadata {"category" = "convolution"} after [#0]
  #2 _, %a, %"a 1" = aten::add_(%h, _, %unranked) {f = 0.5, i = -7, is = [1, 2], s = "text"} : (bfloat16[*], float32[2,?]) name add_ call add_ target "aten::add_" after [#0, #1]
  #3 %k = device::"kernel<int>"() : ? name kernel call kernel target "void kernel<int>()" after [#2]
  #4 %r = Reshape(%h, %shape) : float32[4,2] name r call r target "aten::reshape" after [#3]
  #5 %s = Mul(%r, %half) : float32[4,2] name s call s target "aten::mul" after [#4]
  #6 %m = ai.onnx.ml::Normalizer(%untyped) : float32[1,3] name m call m target "lib::m"
  return (%c, %a, %"a 1", %k, %s, %m)
}
)air";

}  // namespace

TEST_CASE("a program that is written as an ONNX file is read as it was") {
  const std::string text = print(*readText(kProgram).module);
  const std::string bytes = fileOf(kProgram);
  const ReadProgram read = readFile(bytes);
  REQUIRE_MESSAGE(read.module, read.messages);
  CHECK(read.messages.empty());
  CHECK(print(*read.module) == text);
  CHECK(*writeProgram(*read.module) == bytes);
}

TEST_CASE("the file of a program is valid for ONNX's checker, with all that it infers") {
  CHECK_NOTHROW(onnx::checker::check_model(messageOf(fileOf(kProgram)), true));
}

TEST_CASE("constants are initializers where their elements are known, and inputs otherwise") {
  const onnx::GraphProto graph = messageOf(fileOf(kProgram)).graph();
  REQUIRE(graph.initializer_size() == 2);
  CHECK(graph.initializer(0).name() == "shape");
  CHECK(graph.initializer(1).name() == "half");
  REQUIRE(graph.input_size() == 5);
  CHECK(graph.input(4).name() == "w");
}

TEST_CASE("an operator of ONNX is in its domain where that says nothing that is not known") {
  const std::string known = "input %x : float32[1,3,8,8]\ninput %y : float32[4,3,3,3]\n";
  const std::string lowered = "amdahlc.lowered";
  // Without attributes the result has six rows.
  CHECK(domainOf(known, "Conv(%x, %y) : float32[1,4,6,6]").empty());
  CHECK(domainOf(known, "Conv(%x, %y) : float32[1,4,8,8]") == lowered);
  CHECK(domainOf(known, "Conv(%x, %y) : ?") == lowered);
  CHECK(domainOf(known, "Conv(%x, %y) {pads = [1, 1, 1, 1]} : float32[1,4,8,8]").empty());
  // An attribute that ONNX demands, and operands.
  CHECK(domainOf(known, "Concat(%x, %y) : ?") == lowered);
  CHECK(domainOf(known, "Relu(%x, %y) : float32[1,3,8,8]") == lowered);
  CHECK(domainOf(known, "Add(%x, _) : float32[1,3,8,8]") == lowered);
  // Types that ONNX does not add, types that are not known, and operators that ONNX does not have.
  const std::string mixed = "input %x : float32[4]\ninput %y : int64[4]\n";
  CHECK(domainOf(mixed, "Add(%x, %y) : float32[4]") == lowered);
  const std::string unknown = "input %x : ?\ninput %y : ?\n";
  CHECK(domainOf(unknown, "Add(%x, %y) : ?") == lowered);
  CHECK(domainOf("input %x : float32[4]\ninput %y : float32[*]\n", "Add(%x, %y) : float32[4]") == lowered);
  CHECK(domainOf(known, "SimplifiedLayerNormalization(%x, %y) : float32[1]") == lowered);
  CHECK(domainOf(known, "ai.onnx.ml::Normalizer(%x) : float32[1]") == "amdahlc.lowered.ai.onnx.ml");
  CHECK(domainOf(known, "com.microsoft::FusedMatMul(%x, %y) : float32[1]") == "com.microsoft");
}

TEST_CASE("the domain of lowered operators is not one of the program") {
  onnx::ModelProto model = messageOf(fileOf(kProgram));
  REQUIRE(model.graph().node(1).domain() == "amdahlc.lowered");
  const auto domainRead = [&](const std::string& written) {
    model.mutable_graph()->mutable_node(1)->set_domain(written);
    const ReadProgram read = readFile(model.SerializeAsString());
    REQUIRE_MESSAGE(read.module, read.messages);
    return std::string(read.module->text(read.module->ops[OpId(1)].domain));
  };
  CHECK(domainRead("amdahlc.lowered").empty());
  CHECK(domainRead("amdahlc.lowered.ai.onnx").empty());
  CHECK(domainRead("amdahlc.lowered.ai.onnx.ml") == "ai.onnx.ml");
  CHECK(domainRead("amdahlc.lowered_too") == "amdahlc.lowered_too");
}

TEST_CASE("a program whose metadata is damaged is an error that names the node") {
  const auto read = [](const auto& damage) {
    onnx::ModelProto model = messageOf(fileOf(kProgram));
    damage(model);
    const ReadProgram result = readFile(model.SerializeAsString());
    CHECK(!result.module);
    return result.messages;
  };
  const auto set = [](auto& message, const std::string& key, const std::string& value) {
    for (auto& entry : *message.mutable_metadata_props())
      if (entry.key() == key) entry.set_value(value);
  };
  CHECK(read([&](auto& model) { set(model, "amdahlc.program", "onnx"); }) ==
        "`amdahlc.program` is `onnx`, not `trace` or `execution-trace`\n");
  CHECK(read([&](auto& model) { set(model, "amdahlc.data_edges", "-1"); }) ==
        "`amdahlc.data_edges` is `-1`, not a number\n");
  const std::string noId = "`amdahlc.id` is ``, not a number that no other node has\n";
  CHECK(read([](auto& model) { model.mutable_graph()->mutable_node(1)->clear_metadata_props(); }) == noId);
  CHECK(read([&](auto& model) { set(*model.mutable_graph()->mutable_node(1), "amdahlc.id", "0"); }) ==
        "`amdahlc.id` is `0`, not a number that no other node has\n");
  CHECK(read([&](auto& model) { set(*model.mutable_graph()->mutable_node(1), "amdahlc.call", ""); }) ==
        "a node of a program has `amdahlc.call` and `amdahlc.operator`\n");
  for (const char* after : {"2", "1", "0,x", "99999999999"})
    CHECK(read([&](auto& model) {
            set(*model.mutable_graph()->mutable_node(1), "amdahlc.after", after);
          }).starts_with("no node before it has the `amdahlc.id` `"));
  const auto addBody = [](auto& model) {
    auto& attribute = *model.mutable_graph()->mutable_node(3)->add_attribute();
    attribute.set_name("body");
    attribute.set_type(onnx::AttributeProto::GRAPH);
    attribute.mutable_g()->set_name("body");
  };
  CHECK(read(addBody) == "a node of a program has no bodies\n");
}
