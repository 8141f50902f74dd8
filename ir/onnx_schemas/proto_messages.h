/// Types, constants and attributes of the IR as protobuf messages of ONNX, which `proto_values.h` reads. Private to the
/// components of ONNX.
#pragma once

#include <span>

#include "ir/module.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "ir/shape_arithmetic.h"

namespace amdahlc::ir::onnx_schemas {

/// Without a value for types that are unknown.
onnx::TypeProto messageOf(const Type& type);
/// A tensor of this type, which has numbers as dimensions.
onnx::TensorProto messageOf(const Type& type, std::span<const HostNumber> elements);
/// Without data where the elements are not kept.
onnx::TensorProto messageOf(const TensorConstant& constant);
onnx::AttributeProto messageOf(const Attribute& attribute);

}  // namespace amdahlc::ir::onnx_schemas
