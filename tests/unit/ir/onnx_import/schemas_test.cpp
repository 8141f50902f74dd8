#include "ir/onnx_import/schemas.h"

#include <doctest/doctest.h>
#include <onnx/defs/shape_inference.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/onnx_schemas/registry.h"

using namespace amdahlc::ir::onnx_import;

namespace {

/// What an operator's inference sees of a node: operands all there, those of `types` with a type.
class FakeNode : public onnx::InferenceContext {
 public:
  FakeNode(const onnx::OpSchema& schema, std::vector<std::optional<onnx::TypeProto>> types)
      : types_(std::move(types)), outputs_(schema.outputs().size()) {
    for (const auto& [name, attribute] : schema.attributes()) {
      if (attribute.required) attributes_.emplace(name, oneElement(name, attribute.type));
    }
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? nullptr : &found->second;
  }
  size_t getNumInputs() const override { return types_.size(); }
  const onnx::TypeProto* getInputType(size_t index) const override {
    return index < types_.size() && types_[index] ? &*types_[index] : nullptr;
  }
  const onnx::TensorProto* getInputData(size_t) const override { return nullptr; }
  const onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
  const onnx::TensorShapeProto* getSymbolicInput(size_t) const override { return nullptr; }
  size_t getNumOutputs() const override { return outputs_.size(); }
  onnx::TypeProto* getOutputType(size_t index) override { return &outputs_.at(index); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override { return nullptr; }

 private:
  /// A list or a tensor of one element: some inference looks at operands only after it has found attributes of one
  /// length.
  static onnx::AttributeProto oneElement(const std::string& name, onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto attribute;
    attribute.set_name(name);
    attribute.set_type(type);
    if (type == onnx::AttributeProto::INTS) attribute.add_ints(0);
    if (type == onnx::AttributeProto::FLOATS) attribute.add_floats(0);
    if (type == onnx::AttributeProto::STRINGS) attribute.add_strings("a");
    if (type == onnx::AttributeProto::TENSOR) {
      attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
      attribute.mutable_t()->add_dims(1);
      attribute.mutable_t()->add_float_data(0);
    }
    return attribute;
  }

  std::map<std::string, onnx::AttributeProto> attributes_;
  std::vector<std::optional<onnx::TypeProto>> types_;
  std::vector<onnx::TypeProto> outputs_;
};

onnx::TypeProto matrix() {
  onnx::TypeProto type;
  type.mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t size : {2, 3}) type.mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(size);
  return type;
}

}  // namespace

TEST_CASE("schemas are those of the library's registry") {
  size_t compared = 0;
  for (const onnx::OpSchema& listed : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    CAPTURE(listed.domain());
    CAPTURE(listed.Name());
    CAPTURE(listed.SinceVersion());
    // Before a version, in it and behind the newest.
    for (const int version : {listed.SinceVersion() - 1, listed.SinceVersion(), std::numeric_limits<int>::max()}) {
      const auto* registered = onnx::OpSchemaRegistry::Schema(listed.Name(), version, listed.domain());
      const auto* found = amdahlc::ir::onnx_schemas::findSchema(listed.domain(), listed.Name(), version);
      REQUIRE((found == nullptr) == (registered == nullptr));
      if (found == nullptr) continue;
      CHECK(found->domain() == registered->domain());
      CHECK(found->SinceVersion() == registered->SinceVersion());
      CHECK(found->min_input() == registered->min_input());
      CHECK(found->max_input() == registered->max_input());
      CHECK(found->attributes().size() == registered->attributes().size());
      CHECK(found->HasFunction() == registered->HasFunction());
      ++compared;
    }
  }
  CHECK(compared > 1000);
  CHECK(amdahlc::ir::onnx_schemas::findSchema("ai.onnx.ml", "Add", 13) == nullptr);
  CHECK(amdahlc::ir::onnx_schemas::findSchema("", "NoOperator", 13) == nullptr);
}

TEST_CASE("no operator's inference follows a type that an operand does not have") {
  const ImportSchemas schemas;
  size_t tried = 0;
  for (const onnx::OpSchema& listed : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    if (!listed.has_type_and_shape_inference_function()) continue;
    const onnx::OpSchema* schema = schemas.GetSchema(listed.Name(), listed.SinceVersion(), listed.domain());
    REQUIRE(schema != nullptr);
    CAPTURE(listed.domain());
    CAPTURE(listed.Name());
    CAPTURE(listed.SinceVersion());
    const size_t operands = listed.inputs().size();
    // No operand has a type, then all but one.
    for (size_t missing = 0; missing <= operands; ++missing) {
      std::vector<std::optional<onnx::TypeProto>> types(operands);
      for (size_t i = 0; i < operands && missing < operands; ++i) {
        if (i != missing) types[i] = matrix();
      }
      FakeNode node(listed, std::move(types));
      CHECK_NOTHROW(schema->GetTypeAndShapeInferenceFunction()(node));
      ++tried;
    }
  }
  CHECK(tried > 1000);
}
