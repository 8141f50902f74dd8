/// Protobuf messages of ONNX into types, constants and attributes of the IR. Private to the components of ONNX.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/module.h"
#include "ir/onnx_schemas/onnx_proto.h"

namespace amdahlc::ir::onnx_schemas {

ElementType elementType(int32_t onnxType);
Type type(const onnx::TypeProto& proto);
/// Element type and dimensions of a tensor message; its data is not read.
Type type(const onnx::TensorProto& tensor);
Type type(const onnx::SparseTensorProto& tensor);

/// Product of the dimensions; nullopt where one is negative or the product does not fit 64 bits.
std::optional<int64_t> elementCount(const onnx::TensorProto& tensor);

/// Clears data, data location and every external path; keeps type, dimensions and the byte size that `byteSize` returns
/// afterwards.
void dropData(onnx::TensorProto& tensor);
bool isDropped(const onnx::TensorProto& tensor);
/// Bytes of the data as stored in the model or, after `dropData`, as it was stored; from type and dimensions where
/// nothing was stored.
std::optional<int64_t> byteSize(const onnx::TensorProto& tensor);

/// Type, and the elements where they are few.
TensorConstant constant(const onnx::TensorProto& tensor);
TensorConstant constant(const onnx::SparseTensorProto& tensor);

/// nullopt for graphs (they become regions) and for attributes without content.
std::optional<AttributeValue> attributeValue(const onnx::AttributeProto& attribute);

}  // namespace amdahlc::ir::onnx_schemas
