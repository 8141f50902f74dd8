// Values of shape arithmetic that ONNX's own data propagation does not follow: what an exporter writes around `Expand`
// when a size may be -1.
//
//   ones = ConstantOfShape(rank)   wanted = Where(Equal(shape, Mul(ones, -1)), ones, shape)   Expand(x, wanted)

#include <algorithm>
#include <optional>
#include <string_view>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/proto_values.h"
#include "ir/onnx_import/schemas.h"

namespace amdahlc::ir::onnx_import {

namespace {

using Values = onnx::TensorShapeProto;

/// The library's vectors of known and unknown integers are shapes; one of length one is a scalar too and is repeated.
const Values::Dimension& at(const Values& values, int index) { return values.dim(values.dim_size() == 1 ? 0 : index); }

/// Length of the broadcast, or nothing where the lengths do not fit.
std::optional<int> broadcastLength(std::initializer_list<const Values*> operands) {
  int length = 1;
  for (const Values* operand : operands) {
    if (operand == nullptr || operand->dim_size() == 0) return std::nullopt;
    if (operand->dim_size() == 1) continue;
    if (length != 1 && length != operand->dim_size()) return std::nullopt;
    length = operand->dim_size();
  }
  return length;
}

void constantOfShape(onnx::DataPropagationContext& context) {
  const Values* shape = context.getInputData(0);
  if (shape == nullptr || shape->dim_size() != 1 || !shape->dim(0).has_dim_value()) return;
  const int64_t length = shape->dim(0).dim_value();
  if (length < 0 || length > kMaxInferenceElements) return;
  int64_t fill = 0;
  if (const auto* value = context.getAttribute("value")) {
    const TensorConstant constant = onnx_import::constant(value->t());
    if (!constant.ints || constant.ints->size() != 1) return;
    fill = constant.ints->front();
  } else {
    return;  // the default is a floating-point zero
  }
  Values result;
  for (int64_t i = 0; i < length; ++i) result.add_dim()->set_dim_value(fill);
  context.addOutputData(0, std::move(result));
}

void equal(onnx::DataPropagationContext& context) {
  const Values *a = context.getInputData(0), *b = context.getInputData(1);
  const auto length = broadcastLength({a, b});
  if (!length) return;
  Values result;
  for (int i = 0; i < *length; ++i) {
    auto* dim = result.add_dim();
    if (at(*a, i).has_dim_value() && at(*b, i).has_dim_value())
      dim->set_dim_value(at(*a, i).dim_value() == at(*b, i).dim_value());
  }
  context.addOutputData(0, std::move(result));
}

void where(onnx::DataPropagationContext& context) {
  const Values *condition = context.getInputData(0), *a = context.getInputData(1), *b = context.getInputData(2);
  const auto length = broadcastLength({condition, a, b});
  if (!length) return;
  Values result;
  for (int i = 0; i < *length; ++i) {
    auto* dim = result.add_dim();
    if (at(*condition, i).has_dim_value()) *dim = at(*condition, i).dim_value() != 0 ? at(*a, i) : at(*b, i);
  }
  context.addOutputData(0, std::move(result));
}

}  // namespace

onnx::DataPropagationFunction valuePropagation(std::string_view type) {
  if (type == "ConstantOfShape") return constantOfShape;
  if (type == "Equal") return equal;
  if (type == "Where") return where;
  return {};
}

}  // namespace amdahlc::ir::onnx_import
