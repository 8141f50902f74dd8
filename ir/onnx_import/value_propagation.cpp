// Values of shape arithmetic that ONNX's own data propagation does not follow, by the table of `ir/shape_arithmetic`.
// `Cast` is evaluated here first: the library does not convert its values.
// The most frequent use is what an exporter writes around `Expand` when a size may be -1:
//
//   ones = ConstantOfShape(rank)   wanted = Where(Equal(shape, Mul(ones, -1)), ones, shape)   Expand(x, wanted)

#include <optional>
#include <string_view>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_schemas/proto_values.h"
#include "ir/shape_arithmetic.h"

namespace amdahlc::ir::onnx_import {

using namespace onnx_schemas;

namespace {

/// The library's vectors of known and unknown integers are shapes.
using Values = onnx::TensorShapeProto;

/// The type of an operand; Undefined if it is omitted or unknown.
ElementType operandType(const onnx::DataPropagationContext& context, size_t operand) {
  const onnx::TypeProto* proto = context.getInputType(operand);
  return proto != nullptr && proto->has_tensor_type() ? elementType(proto->tensor_type().elem_type())
                                                      : ElementType::Undefined;
}

/// The rank of an operand; nullopt if unknown.
std::optional<int> operandRank(const onnx::DataPropagationContext& context, size_t operand) {
  const onnx::TypeProto* proto = operand < context.getNumInputs() ? context.getInputType(operand) : nullptr;
  if (proto == nullptr || !proto->has_tensor_type() || !proto->tensor_type().has_shape()) return std::nullopt;
  return proto->tensor_type().shape().dim_size();
}

/// Whether the operand is a vector of one element.
bool isSingle(const onnx::DataPropagationContext& context, size_t operand) {
  if (operandRank(context, operand) != 1) return false;
  const auto& dim = context.getInputType(operand)->tensor_type().shape().dim(0);
  return dim.has_dim_value() && dim.dim_value() == 1;
}

class Propagation {
 public:
  Propagation(const ShapeOperator& row, onnx::DataPropagationContext& context) : row_(row), context_(context) {}

  /// Adds the values of the result if they are known, at least in part.
  void run() {
    if (!keepsVectors() || !findResultType() || !readOperands()) return;
    ShapeOperation operation;
    for (const HostElements& elements : operands_) operation.operands.push_back(&elements);
    operation.resultType = resultType_;
    operation.attribute = [this](std::string_view name) -> std::optional<AttributeValue> {
      const onnx::AttributeProto* attribute = context_.getAttribute(std::string(name));
      return attribute != nullptr ? attributeValue(*attribute) : std::nullopt;
    };
    if (const auto result = evaluateShape(row_, operation)) context_.addOutputData(0, values(*result));
  }

 private:
  /// Whether all operands and the result have a rank of at most 1: the library's values are flat.
  bool keepsVectors() const {
    for (size_t i = 0; i < context_.getNumInputs(); ++i) {
      const auto rank = operandRank(context_, i);
      if (!rank || *rank > 1) return false;
    }
    // The second operand has one element for each dimension of the result.
    if (row_.type == "Reshape" || row_.type == "Expand") return isSingle(context_, 1);
    return row_.type != "Unsqueeze";
  }

  bool findResultType() {
    if (row_.type == "Cast") {
      const onnx::AttributeProto* to = context_.getAttribute("to");
      resultType_ = to != nullptr ? elementType(static_cast<int32_t>(to->i())) : ElementType::Undefined;
      return resultType_ != ElementType::Undefined;
    }
    // By default the elements of `ConstantOfShape` are floating point.
    if (row_.type == "ConstantOfShape") {
      const onnx::AttributeProto* value = context_.getAttribute("value");
      resultType_ = value != nullptr ? elementType(value->t().data_type()) : ElementType::Float;
      return isInteger(resultType_);
    }
    // Results of comparisons are 0 and 1 in any integer type. All other results have the type of the last operand.
    for (size_t i = 0; i < context_.getNumInputs(); ++i) {
      resultType_ = operandType(context_, i);
      if (!isInteger(resultType_)) return false;
    }
    return true;
  }

  bool readOperands() {
    for (size_t i = 0; i < context_.getNumInputs(); ++i) {
      const Values* known = context_.getInputData(i);
      if (known == nullptr || known->dim_size() > kMaxHostElements) return false;
      HostElements& elements = operands_.emplace_back();
      for (const auto& dim : known->dim()) {
        if (dim.has_dim_value()) {
          elements.emplace_back(static_cast<HostNumber>(dim.dim_value()));
        } else {
          elements.push_back(HostElement::symbol(static_cast<uint32_t>(unknown_.size())));
          unknown_.push_back(dim);
        }
      }
    }
    return !operands_.empty();
  }

  Values values(const HostElements& elements) const {
    Values result;
    for (const HostElement& element : elements) {
      auto* dim = result.add_dim();
      if (const auto number = element ? asInteger(*element) : std::nullopt)
        dim->set_dim_value(*number);
      else if (const auto symbol = element.symbol())
        *dim = unknown_[*symbol];
    }
    return result;
  }

  const ShapeOperator& row_;
  onnx::DataPropagationContext& context_;
  std::vector<HostElements> operands_;
  /// Unknown elements, by symbol.
  std::vector<Values::Dimension> unknown_;
  ElementType resultType_ = ElementType::Undefined;
};

}  // namespace

onnx::DataPropagationFunction valuePropagation(std::string_view type, onnx::DataPropagationFunction library) {
  const ShapeOperator* row = shapeOperator(type);
  if (row == nullptr || row->evaluate == nullptr || (library && type != "Cast")) return library;
  return [row](onnx::DataPropagationContext& context) { Propagation(*row, context).run(); };
}

}  // namespace amdahlc::ir::onnx_import
