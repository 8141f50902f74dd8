#include "ir/onnx_import/scope.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace amdahlc::ir::onnx_import;

namespace {

onnx::NodeProto& addNode(onnx::ModelProto& model, const std::string& name, const std::string& type) {
  auto& node = *model.mutable_graph()->add_node();
  node.set_name(name);
  node.set_op_type(type);
  return node;
}

std::string scopeOf(const std::vector<std::pair<std::string, std::string>>& nodes,
                    const std::vector<std::string>& parameters = {}) {
  onnx::ModelProto model;
  for (const auto& [name, type] : nodes) addNode(model, name, type);
  for (const auto& parameter : parameters) model.mutable_graph()->add_initializer()->set_name(parameter);
  return SourceResolver(model).resolve(model.graph().node(0)).scope;
}

void setMetadata(onnx::NodeProto& node, const std::string& key, const std::string& value) {
  auto* entry = node.add_metadata_props();
  entry->set_key(key);
  entry->set_value(value);
}

}  // namespace

TEST_CASE("python lists of strings") {
  CHECK(parsePythonList("['', 'bert', \"it's\"]") == std::vector<std::string>{"", "bert", "it's"});
  CHECK(parsePythonList(R"(['a\'b'])") == std::vector<std::string>{"a'b"});
  CHECK(parsePythonList("[]").empty());
  CHECK(parsePythonList("['unfinished").empty());
  CHECK(parsePythonList("[1, 2]").empty());
  CHECK(parsePythonList("").empty());
}

TEST_CASE("scopes from node names") {
  CHECK(scopeOf({{"/bert/encoder/layer.0/attention/self/query/MatMul", "MatMul"}}) ==
        "bert.encoder.layer.0.attention.self.query");
  CHECK(scopeOf({{"/bert/Add_12", "Add"}}) == "bert");
  CHECK(scopeOf({{"/MatMul", "MatMul"}}) == "");
  CHECK(scopeOf({{"Conv_0", "Conv"}}) == "");
  CHECK(scopeOf({{"", "Conv"}}) == "");
}

TEST_CASE("a container that was called is written before its children, and counts once") {
  CHECK(scopeOf({{"/layer1/layer1.0/conv1/Conv", "Conv"}}) == "layer1.0.conv1");
  CHECK(scopeOf({{"/features/features.1/conv/conv.0/conv.0.0/Conv", "Conv"}}) == "features.1.conv.0.0");
}

TEST_CASE("the second call of a module is the same module") {
  CHECK(scopeOf({{"/block/relu_1/Relu", "Relu"}, {"/block/relu/Relu", "Relu"}}) == "block.relu");
  SUBCASE("unless nothing has the name without the number") {
    CHECK(scopeOf({{"/block/conv_1/Conv", "Conv"}}) == "block.conv_1");
  }
  SUBCASE("or a module of that very name owns parameters") {
    CHECK(scopeOf({{"/block/conv_1/Conv", "Conv"}, {"/block/conv/Conv", "Conv"}}, {"block.conv_1.weight"}) ==
          "block.conv_1");
  }
}

TEST_CASE("names that ONNX Runtime's fusions changed") {
  CHECK(scopeOf({{"/x/dense/MatMul/MatMulAddFusion", "Gemm"}}) == "x.dense");
  CHECK(scopeOf({{"/relu/Relu_output_0_nchwc", "Conv"}}) == "relu");
  onnx::ModelProto model;
  addNode(model, "SkipLayerNormalization", "SkipLayerNormalization")
      .add_output("/x/LayerNorm/LayerNormalization_output_0");
  CHECK(SourceResolver(model).resolve(model.graph().node(0)).scope == "x.LayerNorm");
}

TEST_CASE("a name is not followed deeper than modules nest") {
  const auto deep = [](char separator) {
    std::string name;
    for (int i = 0; i < 60000; ++i) name.append(1, separator).append("a_1");
    return name;
  };
  const std::string scope = scopeOf({{deep('/') + "/Relu", "Relu"}}, {deep('.') + ".weight"});
  CHECK(std::count(scope.begin(), scope.end(), '.') == 255);
}

TEST_CASE("scope, class and call from metadata") {
  onnx::ModelProto model;
  auto& node = addNode(model, "node_linear", "Gemm");
  setMetadata(node, "pkg.torch.onnx.name_scopes", "['', 'layer1.0.relu@1', 'linear_1']");
  setMetadata(node, "pkg.torch.onnx.class_hierarchy",
              "['a.Model', 'torch.nn.modules.linear.Linear', 'aten.linear.default']");
  setMetadata(
      node, "pkg.torch.onnx.fx_node",
      "%linear_1 : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x,), kwargs = {})");
  const NodeSource source = SourceResolver(model).resolve(node);
  CHECK(source.scope == "layer1.0.relu");
  REQUIRE_FALSE(source.modules.empty());
  CHECK(source.modules.back().first == source.scope);
  CHECK(source.modules.back().second == "Linear");
  CHECK(source.call == "linear_1");
  CHECK(source.target == "aten.linear.default");
}
