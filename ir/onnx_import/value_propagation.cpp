// Values of shape arithmetic that ONNX's own data propagation does not follow, by the table of `ir/shape_arithmetic`.
// The most frequent use is what an exporter writes around `Expand` when a size may be -1:
//
//   ones = ConstantOfShape(rank)   wanted = Where(Equal(shape, Mul(ones, -1)), ones, shape)   Expand(x, wanted)

#include <algorithm>
#include <optional>
#include <string_view>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/proto_values.h"
#include "ir/onnx_import/schemas.h"
#include "ir/shape_arithmetic.h"

namespace amdahlc::ir::onnx_import {

namespace {

/// The library's vectors of known and unknown integers are shapes.
using Values = onnx::TensorShapeProto;

/// nullopt where the operand is omitted or has no type, or where its elements are not integers: the library keeps
/// integers of other types, too.
std::optional<ElementType> integerType(const onnx::DataPropagationContext& context, size_t operand) {
  const onnx::TypeProto* proto = context.getInputType(operand);
  if (proto == nullptr || !proto->has_tensor_type()) return std::nullopt;
  const ElementType element = elementType(proto->tensor_type().elem_type());
  return isInteger(element) ? std::optional(element) : std::nullopt;
}

class Propagation {
 public:
  Propagation(const ShapeOperator& row, onnx::DataPropagationContext& context) : row_(row), context_(context) {}

  void run() {
    if (!readOperands() || !fillsWithIntegers()) return;
    ShapeOperation operation;
    for (const HostElements& elements : operands_) operation.operands.push_back(&elements);
    operation.resultType = resultType_;
    operation.attribute = [this](std::string_view name) -> std::optional<AttributeValue> {
      const onnx::AttributeProto* attribute = context_.getAttribute(std::string(name));
      return attribute != nullptr ? attributeValue(*attribute) : std::nullopt;
    };
    if (auto result = row_.evaluate(operation)) context_.addOutputData(0, values(*result));
  }

 private:
  bool readOperands() {
    const size_t count = context_.getNumInputs();
    if (count == 0) return false;
    for (size_t i = 0; i < count; ++i) {
      const auto type = integerType(context_, i);
      const Values* known = type ? context_.getInputData(i) : nullptr;
      if (known == nullptr || known->dim_size() > kMaxHostElements) return false;
      // Results of comparisons are 0 and 1 in any of these types; all others have the type of their last operand.
      resultType_ = *type;
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
    return true;
  }

  /// The elements of `ConstantOfShape` have the type of its attribute, by default float.
  bool fillsWithIntegers() const {
    if (row_.type != "ConstantOfShape") return true;
    const onnx::AttributeProto* value = context_.getAttribute("value");
    return value != nullptr && isInteger(elementType(value->t().data_type()));
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

onnx::DataPropagationFunction valuePropagation(std::string_view type) {
  const ShapeOperator* row = shapeOperator(type);
  if (row == nullptr || row->evaluate == nullptr) return {};
  return [row](onnx::DataPropagationContext& context) { Propagation(*row, context).run(); };
}

}  // namespace amdahlc::ir::onnx_import
