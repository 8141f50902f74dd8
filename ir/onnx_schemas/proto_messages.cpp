#include "ir/onnx_schemas/proto_messages.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace amdahlc::ir::onnx_schemas {

onnx::TypeProto messageOf(const Type& type) {
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
    *proto.mutable_sequence_type()->mutable_elem_type() = messageOf(type.parameters[0]);
  if (type.kind == Type::Kind::Optional)
    *proto.mutable_optional_type()->mutable_elem_type() = messageOf(type.parameters[0]);
  return proto;
}

onnx::TensorProto messageOf(const Type& type, std::span<const HostNumber> elements) {
  onnx::TensorProto proto;
  proto.set_data_type(static_cast<int32_t>(type.element));
  for (const Dim& dim : type.dims) proto.add_dims(dim.value);
  for (const HostNumber element : elements) {
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

onnx::TensorProto messageOf(const TensorConstant& constant) {
  std::vector<HostNumber> elements;
  if (constant.ints) elements.assign(constant.ints->begin(), constant.ints->end());
  if (constant.floats) elements.assign(constant.floats->begin(), constant.floats->end());
  return messageOf(constant.type, elements);
}

onnx::AttributeProto messageOf(const Attribute& attribute) {
  using Proto = onnx::AttributeProto;
  Proto proto;
  proto.set_name(attribute.name);
  struct Fill {
    Proto& to;
    void operator()(int64_t value) const { to.set_type(Proto::INT), to.set_i(value); }
    void operator()(double value) const { to.set_type(Proto::FLOAT), to.set_f(static_cast<float>(value)); }
    void operator()(const std::string& value) const { to.set_type(Proto::STRING), to.set_s(value); }
    void operator()(const TensorConstant& value) const {
      to.set_type(Proto::TENSOR), *to.mutable_t() = messageOf(value);
    }
    void operator()(const Type& value) const { to.set_type(Proto::TYPE_PROTO), *to.mutable_tp() = messageOf(value); }
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
      for (const TensorConstant& value : values) *to.add_tensors() = messageOf(value);
    }
    void operator()(const std::vector<Type>& values) const {
      to.set_type(Proto::TYPE_PROTOS);
      for (const Type& value : values) *to.add_type_protos() = messageOf(value);
    }
  };
  std::visit(Fill{proto}, attribute.value);
  return proto;
}

}  // namespace amdahlc::ir::onnx_schemas
