#include "ir/onnx_import/operator_types.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/proto_messages.h"
#include "ir/onnx_schemas/proto_values.h"
#include "ir/onnx_schemas/registry.h"

namespace amdahlc::ir {

using onnx_schemas::messageOf;

namespace {

/// An operator of the IR as the library's inference sees it.
class OperatorContext final : public onnx::InferenceContext {
 public:
  OperatorContext(const Op& op, const IdVector<ValueId, Type>& types, const HostValues& elements)
      : op_(op), results_(op.outputs.size()) {
    for (const Attribute& attribute : op.attributes) attributes_.emplace(attribute.name, messageOf(attribute));
    for (const ValueId input : op.inputs) {
      Operand& operand = operands_.emplace_back();
      if (input.isNone() || types[input].kind == Type::Kind::Unknown) continue;
      operand.type = messageOf(types[input]);
      if (const auto& known = elements.of(input).elements) readElements(types[input], *known, operand);
    }
  }

  const onnx::AttributeProto* getAttribute(const std::string& name) const override {
    const auto found = attributes_.find(name);
    return found != attributes_.end() ? &found->second : nullptr;
  }
  size_t getNumInputs() const override { return operands_.size(); }
  const onnx::TypeProto* getInputType(size_t index) const override { return part(index, &Operand::type); }
  bool hasInput(size_t index) const override { return index < op_.inputs.size() && !op_.inputs[index].isNone(); }
  const onnx::TensorProto* getInputData(size_t index) const override { return part(index, &Operand::data); }
  const onnx::TensorShapeProto* getSymbolicInput(size_t index) const override { return part(index, &Operand::partly); }
  const onnx::SparseTensorProto* getInputSparseData(size_t) const override { return nullptr; }
  size_t getNumOutputs() const override { return results_.size(); }
  onnx::TypeProto* getOutputType(size_t index) override { return index < results_.size() ? &results_[index] : nullptr; }
  bool hasOutput(size_t index) override { return index < op_.outputs.size() && !op_.outputs[index].isNone(); }
  onnx::GraphInferencer* getGraphAttributeInferencer(const std::string&) override { return nullptr; }

 private:
  struct Operand {
    std::optional<onnx::TypeProto> type;
    /// All elements, or those of a vector that are known.
    std::optional<onnx::TensorProto> data;
    std::optional<onnx::TensorShapeProto> partly;
  };

  static void readElements(const Type& type, const HostElements& known, Operand& operand) {
    bool isWhole = type.isStatic() && type.elementCount() == static_cast<int64_t>(known.size());
    for (const HostElement& element : known) isWhole &= element.isKnown();
    if (isWhole) {
      std::vector<HostNumber> numbers;
      for (const HostElement& element : known) numbers.push_back(*element);
      operand.data = messageOf(type, numbers);
    } else if (isInteger(type.element)) {
      operand.partly.emplace();
      for (const HostElement& element : known) {
        auto& dim = *operand.partly->add_dim();
        if (const auto number = element ? asInteger(*element) : std::nullopt) dim.set_dim_value(*number);
      }
    }
  }

  template <typename Part>
  const Part* part(size_t index, std::optional<Part> Operand::* member) const {
    if (index >= operands_.size() || !(operands_[index].*member)) return nullptr;
    return &*(operands_[index].*member);
  }

  const Op& op_;
  std::map<std::string, onnx::AttributeProto> attributes_;
  std::vector<Operand> operands_;
  std::vector<onnx::TypeProto> results_;
};

}  // namespace

OperatorTypes::OperatorTypes(const Module& module)
    : module_(module), schemas_(std::make_unique<onnx_import::ImportSchemas>()) {}

OperatorTypes::~OperatorTypes() = default;

std::vector<Type> OperatorTypes::resultsOf(const Op& op, const IdVector<ValueId, Type>& types,
                                           const HostValues& elements) const {
  std::vector<Type> results(op.outputs.size());
  const std::string domain(module_.text(op.domain));
  const auto* schema = schemas_->GetSchema(std::string(module_.text(op.type)),
                                           static_cast<int>(module_.opset(module_.text(op.domain))), domain);
  if (schema == nullptr || !schema->has_type_and_shape_inference_function()) return results;
  OperatorContext context(op, types, elements);
  schema->GetTypeAndShapeInferenceFunction()(context);
  for (size_t i = 0; i < results.size(); ++i) results[i] = onnx_schemas::type(*context.getOutputType(i));
  return results;
}

namespace {

/// Whether a type that was inferred says nothing else, and nothing more, than the one that is known.
bool agrees(const Type& inferred, const Type& known) {
  if (inferred.kind == Type::Kind::Unknown) return true;
  if (inferred.kind != known.kind || inferred.element != known.element) return false;
  return !inferred.ranked || std::ranges::equal(inferred.dims, known.dims, [](const Dim& of, const Dim& one) {
    return of.isUnknown() || of == one;
  });
}

}  // namespace

bool OperatorTypes::isStandard(const Op& op, const IdVector<ValueId, Type>& types, const HostValues& elements) const {
  const std::string domain(module_.text(op.domain));
  const auto* schema =
      onnx_schemas::findSchema(domain, std::string(module_.text(op.type)), static_cast<int>(module_.opset(domain)));
  if (schema == nullptr || schema->Deprecated()) return false;
  const auto isKnown = [&](ValueId value) { return value.isNone() || types[value].ranked; };
  if (!std::ranges::all_of(op.inputs, isKnown) || !std::ranges::all_of(op.outputs, isKnown)) return false;
  onnx::NodeProto node;
  node.set_op_type(schema->Name());
  for (const ValueId input : op.inputs) node.add_input(input.isNone() ? "" : "x");
  for (const ValueId output : op.outputs) node.add_output(output.isNone() ? "" : "y");
  for (const Attribute& attribute : op.attributes) *node.add_attribute() = messageOf(attribute);
  OperatorContext context(op, types, elements);
  for (size_t i = 0; i < op.outputs.size(); ++i)
    if (!op.outputs[i].isNone()) *context.getOutputType(i) = messageOf(types[op.outputs[i]]);
  const bool isTaken = onnx_import::callLibrary(
      [&] {
        schema->Verify(node);
        schema->CheckInputOutputType(context);
        return true;
      },
      [](const char*) { return false; });
  const std::vector<Type> results = isTaken ? resultsOf(op, types, elements) : std::vector<Type>();
  for (size_t i = 0; i < results.size(); ++i)
    if (!op.outputs[i].isNone() && !agrees(results[i], types[op.outputs[i]])) return false;
  return isTaken;
}

}  // namespace amdahlc::ir
