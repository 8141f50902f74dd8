// Shape inference of operators with bodies.

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <onnx/defs/shape_inference.h>
#include <onnx/shape_inference/implementation.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_import/steps.h"

namespace amdahlc::ir::onnx_import {

namespace {

using Impl = onnx::shape_inference::InferenceContextImpl;
using GraphContext = onnx::shape_inference::GraphInferenceContext;
using Types = std::unordered_map<std::string, onnx::TypeProto*>;
/// What is known of integers that are computed, by the names of the values that hold them.
using Integers = onnx::shape_inference::DataValueMap;

/// Copies to `needed` what `around` has of the names that the graph and those in it read.
template <typename Map>
void collectRead(const onnx::GraphProto& graph, const Map& around, Map& needed) {
  const auto read = [&](const std::string& name) {
    if (const auto found = around.find(name); found != around.end()) needed.insert(*found);
  };
  for (const auto& info : graph.output()) read(info.name());
  for (const auto& node : graph.node()) {
    for (const auto& input : node.input()) read(input);
    onnx_schemas::forEachBody(node, [&](const auto& body) { collectRead(body, around, needed); });
  }
}

/// What `around` has of the names that the graph reads. Names are unique: it defines none of them itself.
template <typename Map>
Map neededFrom(const Map& around, const onnx::GraphProto& graph) {
  Map needed;
  collectRead(graph, around, needed);
  return needed;
}

/// One body with the context that its inference refers to. The library keys known integers by name, in one map for a
/// graph and all bodies in it, although two bodies may use one name for different values: each body has a map of its
/// own here.
class Body final : public onnx::GraphInferencer {
 public:
  Body(onnx::GraphProto& graph, const GraphContext& outer, const onnx::ShapeInferenceOptions& options)
      : graph_(graph),
        outerIntegers_(outer.generated_shape_data_by_name),
        types_(neededFrom(*outer.outer_scope_value_types_by_name, graph)),
        context_(types_, outer.opset_imports, outer.symbol_table, outer.model_local_functions, outer.schema_registry,
                 outerIntegers_ != nullptr ? &integers_ : nullptr, outer.ir_version),
        inferencer_(graph, context_, options) {}

  std::vector<const onnx::TypeProto*> doInferencing(const std::vector<const onnx::TypeProto*>& types,
                                                    const std::vector<const onnx::TensorProto*>& data) override {
    if (outerIntegers_ != nullptr) integers_ = neededFrom(*outerIntegers_, graph_);
    std::vector<const onnx::TypeProto*> results = inferencer_.doInferencing(types, data);
    // A result may be a value around the body, of which the library has the declaration only.
    for (size_t i = 0; i < results.size(); ++i)
      if (results[i] == nullptr || results[i]->value_case() == onnx::TypeProto::VALUE_NOT_SET)
        if (const auto found = types_.find(graph_.output(static_cast<int>(i)).name()); found != types_.end())
          results[i] = found->second;
    return results;
  }

 private:
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

/// The context of an operator with bodies; nullptr for others.
Impl* withBodies(onnx::InferenceContext& context) {
  auto* base = dynamic_cast<Impl*>(&context);
  const bool has =
      base != nullptr && base->graphInferenceContext_ != nullptr && !base->graphProtoAttributesByName_.empty();
  return has ? base : nullptr;
}

}  // namespace

void dropUncertain(onnx::InferenceContext& context) {
  const bool hasBodies = withBodies(context) != nullptr;
  for (size_t i = 0; i < context.getNumOutputs(); ++i) {
    onnx::TypeProto* type = context.getOutputType(i);
    if (type == nullptr) continue;
    if (hasBodies)
      type->Clear();
    else
      dropShapes(*type);
  }
}

void inferBodies(const onnx::InferenceFunction& infer, onnx::InferenceContext& context) {
  Impl* base = withBodies(context);
  if (base == nullptr) return infer(context);
  BodyContext bodies(*base);
  infer(bodies);
}

}  // namespace amdahlc::ir::onnx_import
