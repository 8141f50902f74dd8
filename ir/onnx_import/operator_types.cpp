#include "ir/onnx_import/operator_types.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_schemas/proto_values.h"

namespace amdahlc::ir {

namespace {

/// Messages of the ONNX library of types, constants and attributes: what `ir/onnx_schemas/proto_values` reads.

onnx::TypeProto protoOf(const Type& type) {
  onnx::TypeProto proto;
  const auto fillTensor = [&](auto& tensor) {
    tensor.set_elem_type(static_cast<int32_t>(type.element));
    if (!type.ranked) return;
    tensor.mutable_shape();
    for (const Dim& dim : type.dims) {
      auto& to = *tensor.mutable_shape()->add_dim();
      if (dim.isNumber())
        to.set_dim_value(dim.value);
      else if (!dim.symbol.empty())
        to.set_dim_param(dim.symbol);
    }
  };
  if (type.kind == Type::Kind::Tensor) fillTensor(*proto.mutable_tensor_type());
  if (type.kind == Type::Kind::SparseTensor) fillTensor(*proto.mutable_sparse_tensor_type());
  if (type.kind == Type::Kind::Sequence)
    *proto.mutable_sequence_type()->mutable_elem_type() = protoOf(type.parameters[0]);
  if (type.kind == Type::Kind::Optional)
    *proto.mutable_optional_type()->mutable_elem_type() = protoOf(type.parameters[0]);
  return proto;
}

/// A tensor of this type, which has numbers as dimensions. The data is left out where an element is not known.
template <typename ElementAt>
onnx::TensorProto tensorProto(const Type& type, size_t count, const ElementAt& elementAt) {
  onnx::TensorProto proto;
  proto.set_data_type(static_cast<int32_t>(type.element));
  for (const Dim& dim : type.dims) proto.add_dims(dim.value);
  for (size_t i = 0; i < count; ++i) {
    const HostNumber element = elementAt(i);
    if (type.element == ElementType::Int64)
      proto.add_int64_data(asInteger(element).value_or(0));
    else if (type.element == ElementType::Float)
      proto.add_float_data(static_cast<float>(element));
    else if (type.element == ElementType::Double)
      proto.add_double_data(static_cast<double>(element));
    else if (isInteger(type.element))
      proto.add_int32_data(static_cast<int32_t>(asInteger(element).value_or(0)));
  }
  return proto;
}

onnx::TensorProto protoOf(const TensorConstant& constant) {
  const size_t count = constant.ints ? constant.ints->size() : constant.floats ? constant.floats->size() : 0;
  return tensorProto(constant.type, count, [&](size_t i) {
    return constant.ints ? static_cast<HostNumber>((*constant.ints)[i]) : HostNumber((*constant.floats)[i]);
  });
}

onnx::AttributeProto protoOf(const Attribute& attribute) {
  using Proto = onnx::AttributeProto;
  Proto proto;
  proto.set_name(attribute.name);
  struct Fill {
    Proto& to;
    void operator()(int64_t value) const { to.set_type(Proto::INT), to.set_i(value); }
    void operator()(double value) const { to.set_type(Proto::FLOAT), to.set_f(static_cast<float>(value)); }
    void operator()(const std::string& value) const { to.set_type(Proto::STRING), to.set_s(value); }
    void operator()(const TensorConstant& value) const { to.set_type(Proto::TENSOR), *to.mutable_t() = protoOf(value); }
    void operator()(const Type& value) const { to.set_type(Proto::TYPE_PROTO), *to.mutable_tp() = protoOf(value); }
    void operator()(const std::vector<int64_t>& values) const {
      to.set_type(Proto::INTS);
      for (const int64_t value : values) to.add_ints(value);
    }
    void operator()(const std::vector<double>& values) const {
      to.set_type(Proto::FLOATS);
      for (const double value : values) to.add_floats(static_cast<float>(value));
    }
    void operator()(const std::vector<std::string>& values) const {
      to.set_type(Proto::STRINGS);
      for (const std::string& value : values) to.add_strings(value);
    }
    void operator()(const std::vector<TensorConstant>& values) const {
      to.set_type(Proto::TENSORS);
      for (const TensorConstant& value : values) *to.add_tensors() = protoOf(value);
    }
    void operator()(const std::vector<Type>& values) const {
      to.set_type(Proto::TYPE_PROTOS);
      for (const Type& value : values) *to.add_type_protos() = protoOf(value);
    }
  };
  std::visit(Fill{proto}, attribute.value);
  return proto;
}

/// An operator of the IR as the library's inference sees it.
class OperatorContext final : public onnx::InferenceContext {
 public:
  OperatorContext(const Op& op, const IdVector<ValueId, Type>& types, const HostValues& elements)
      : op_(op), results_(op.outputs.size()) {
    for (const Attribute& attribute : op.attributes) attributes_.emplace(attribute.name, protoOf(attribute));
    for (const ValueId input : op.inputs) {
      Operand& operand = operands_.emplace_back();
      if (input.isNone() || types[input].kind == Type::Kind::Unknown) continue;
      operand.type = protoOf(types[input]);
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
      operand.data = tensorProto(type, known.size(), [&](size_t i) { return *known[i]; });
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

}  // namespace amdahlc::ir
