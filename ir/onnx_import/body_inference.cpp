// Shape inference of operators with bodies.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <onnx/defs/shape_inference.h>
#include <onnx/shape_inference/implementation.h>

#include "ir/onnx_import/schemas.h"

namespace amdahlc::ir::onnx_import {

namespace {

using Impl = onnx::shape_inference::InferenceContextImpl;
using GraphContext = onnx::shape_inference::GraphInferenceContext;
using Types = std::unordered_map<std::string, onnx::TypeProto*>;
/// What is known of integers that are computed, by the names of the values that hold them.
using Integers = onnx::shape_inference::DataValueMap;

/// Copies to `mentioned` what `around` has of the names that the graph and those in it mention. Names that they define
/// count too, because the library merges their types into those that the names have around the body.
void collectMentioned(const onnx::GraphProto& graph, const Types& around, Types& mentioned) {
  const auto mention = [&](const std::string& name) {
    if (const auto found = around.find(name); found != around.end()) mentioned.insert(*found);
  };
  for (const auto& info : graph.input()) mention(info.name());
  for (const auto& info : graph.output()) mention(info.name());
  for (const auto& info : graph.value_info()) mention(info.name());
  for (const auto& tensor : graph.initializer()) mention(tensor.name());
  for (const auto& sparse : graph.sparse_initializer()) mention(sparse.values().name());
  for (const auto& node : graph.node()) {
    for (const auto& input : node.input()) mention(input);
    for (const auto& output : node.output()) mention(output);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collectMentioned(attribute.g(), around, mentioned);
      for (const auto& nested : attribute.graphs()) collectMentioned(nested, around, mentioned);
    }
  }
}

/// Copies to `needed` what `around` has of the operands of the graph's nodes and of those in it.
void collectOperands(const onnx::GraphProto& graph, const Integers& around, Integers& needed) {
  for (const auto& node : graph.node()) {
    for (const auto& input : node.input())
      if (const auto found = around.find(input); found != around.end()) needed.insert(*found);
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) collectOperands(attribute.g(), around, needed);
      for (const auto& nested : attribute.graphs()) collectOperands(nested, around, needed);
    }
  }
}

/// Removes the names that the graph itself defines.
void removeDefined(const onnx::GraphProto& graph, Integers& integers) {
  for (const auto& info : graph.input()) integers.erase(info.name());
  for (const auto& tensor : graph.initializer()) integers.erase(tensor.name());
  for (const auto& sparse : graph.sparse_initializer()) integers.erase(sparse.values().name());
  for (const auto& node : graph.node())
    for (const auto& output : node.output()) integers.erase(output);
}

/// One body with the context that its inference refers to. The library keys known integers by name, in one map for a
/// graph and all bodies in it, although two bodies may use one name for different values: each body has a map of its
/// own here.
class Body final : public onnx::GraphInferencer {
 public:
  Body(onnx::GraphProto& graph, const GraphContext& outer, const onnx::ShapeInferenceOptions& options)
      : graph_(graph),
        outerIntegers_(outer.generated_shape_data_by_name),
        types_(typesFor(graph, outer)),
        context_(types_, outer.opset_imports, outer.symbol_table, outer.model_local_functions, outer.schema_registry,
                 outerIntegers_ != nullptr ? &integers_ : nullptr, outer.ir_version),
        inferencer_(graph, context_, options) {}

  std::vector<const onnx::TypeProto*> doInferencing(const std::vector<const onnx::TypeProto*>& types,
                                                    const std::vector<const onnx::TensorProto*>& data) override {
    integers_.clear();
    if (outerIntegers_ != nullptr) {
      collectOperands(graph_, *outerIntegers_, integers_);
      removeDefined(graph_, integers_);
    }
    return inferencer_.doInferencing(types, data);
  }

 private:
  static Types typesFor(const onnx::GraphProto& graph, const GraphContext& outer) {
    Types mentioned;
    collectMentioned(graph, *outer.outer_scope_value_types_by_name, mentioned);
    return mentioned;
  }

  const onnx::GraphProto& graph_;
  const Integers* outerIntegers_;
  /// `context_` refers to these two: ONNX before 1.23 keeps the address of the map of types that it is given.
  Types types_;
  Integers integers_;
  GraphContext context_;
  onnx::shape_inference::GraphInferencerImpl inferencer_;
};

/// The library's context of a node, but for its bodies.
class BodyContext final : public onnx::InferenceContext {
 public:
  explicit BodyContext(Impl& base) : base_(base) {}

  const onnx::AttributeProto* getAttribute(const std::string& name) const override { return base_.getAttribute(name); }
  size_t getNumInputs() const override { return base_.getNumInputs(); }
  const onnx::TypeProto* getInputType(size_t index) const override { return base_.getInputType(index); }
  bool hasInput(size_t index) const override { return base_.hasInput(index); }
  const onnx::TensorProto* getInputData(size_t index) const override { return base_.getInputData(index); }
  size_t getNumOutputs() const override { return base_.getNumOutputs(); }
  onnx::TypeProto* getOutputType(size_t index) override { return base_.getOutputType(index); }
  bool hasOutput(size_t index) override { return base_.hasOutput(index); }
  const onnx::SparseTensorProto* getInputSparseData(size_t index) const override {
    return base_.getInputSparseData(index);
  }
  const onnx::TensorShapeProto* getSymbolicInput(size_t index) const override { return base_.getSymbolicInput(index); }
  std::string getDisplayName() const override { return base_.getDisplayName(); }

  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& attribute) override {
    const auto graph = base_.graphProtoAttributesByName_.find(attribute);
    // The library says what is wrong.
    if (graph == base_.graphProtoAttributesByName_.end()) return base_.getGraphAttributeInferencer(attribute);
    auto& body = bodies_[attribute];
    if (!body) body = std::make_unique<Body>(*graph->second, *base_.graphInferenceContext_, base_.options_);
    return body.get();
  }

 private:
  Impl& base_;
  std::map<std::string, std::unique_ptr<Body>> bodies_;
};

}  // namespace

void inferBodies(const onnx::InferenceFunction& infer, onnx::InferenceContext& context) {
  auto* base = dynamic_cast<Impl*>(&context);
  if (base == nullptr || base->graphInferenceContext_ == nullptr || base->graphProtoAttributesByName_.empty())
    return infer(context);
  BodyContext bodies(*base);
  infer(bodies);
}

}  // namespace amdahlc::ir::onnx_import
