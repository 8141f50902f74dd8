#include "ir/known_values.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace amdahlc::ir {

namespace {

ConstantView viewOf(const TensorConstant& tensor) { return {true, tensor.ints, tensor.floats}; }

/// The value of a `Constant` operator and its type.
struct Written {
  ConstantView view;
  Type type;
};

std::optional<Written> writtenBy(const Op& op) {
  const auto vector = [](ElementType element, size_t count) {
    return Type::tensor(element, {Dim::of(static_cast<int64_t>(count))});
  };
  for (const Attribute& attribute : op.attributes) {
    const AttributeValue& value = attribute.value;
    if (const auto* tensor = std::get_if<TensorConstant>(&value)) return Written{viewOf(*tensor), tensor->type};
    if (const auto* integer = std::get_if<int64_t>(&value))
      return Written{{true, std::span(integer, 1)}, Type::tensor(ElementType::Int64, {})};
    if (const auto* real = std::get_if<double>(&value))
      return Written{{true, {}, std::span(real, 1)}, Type::tensor(ElementType::Float, {})};
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&value))
      return Written{{true, *integers}, vector(ElementType::Int64, integers->size())};
    if (const auto* reals = std::get_if<std::vector<double>>(&value))
      return Written{{true, {}, *reals}, vector(ElementType::Float, reals->size())};
    if (std::holds_alternative<std::string>(value)) return Written{{true}, Type::tensor(ElementType::String, {})};
    if (const auto* strings = std::get_if<std::vector<std::string>>(&value))
      return Written{{true}, vector(ElementType::String, strings->size())};
  }
  return std::nullopt;
}

bool isRandom(std::string_view type) {
  return type.starts_with("Random") || type == "Bernoulli" || type == "Multinomial";
}

}  // namespace

bool isConstantOperator(const Module& module, const Op& op) {
  return op.domain.empty() && module.text(op.type) == "Constant";
}

bool isConstant(const Module& module, const Value& value) {
  if (value.kind == Value::Kind::Constant) return true;
  return value.kind == Value::Kind::Result && module.ops.contains(value.producer) &&
         isConstantOperator(module, module.ops[value.producer]);
}

ConstantView constantOf(const Module& module, ValueId id) {
  if (!module.values.contains(id)) return {};
  const Value& value = module.values[id];
  if (!isConstant(module, value)) return {};
  if (value.kind == Value::Kind::Constant) return value.constant ? viewOf(*value.constant) : ConstantView{true};
  const auto written = writtenBy(module.ops[value.producer]);
  return written ? written->view : ConstantView{true};
}

std::optional<TensorConstant> constantOperatorTensor(const Module& module, const Op& op) {
  if (!isConstantOperator(module, op) || op.outputs.empty() || op.outputs.front() == kNone) return std::nullopt;
  const auto written = writtenBy(op);
  if (!written) return std::nullopt;
  TensorConstant tensor{written->type, std::nullopt, std::nullopt};
  const auto& [isConstant, ints, floats] = written->view;
  const auto isKept = [](const auto& elements) {
    return elements && elements->size() <= static_cast<size_t>(TensorConstant::kMaxKeptElements);
  };
  if (isKept(ints)) tensor.ints.emplace(ints->begin(), ints->end());
  if (isKept(floats)) tensor.floats.emplace(floats->begin(), floats->end());
  return tensor;
}

bool tellsShape(std::string_view type) { return type == "Shape" || type == "Size"; }

KnownFrom resultsKnownFrom(const Module& module, const Op& op, const IdVector<ValueId, KnownFrom>& known) {
  const std::string_view type = module.text(op.type);
  // A recorded call without an operand that is a tensor may still make one of what no trace states.
  if (!op.regions.empty() || isRandom(type) || module.isRecorded()) return KnownFrom::Run;
  KnownFrom from = KnownFrom::Constants;
  for (const ValueId input : op.inputs)
    if (input != kNone) from = std::min(from, known.contains(input) ? known[input] : KnownFrom::Run);
  return tellsShape(type) ? std::max(from, KnownFrom::Shapes) : from;
}

namespace {

/// Types in which frameworks keep sizes, indices and conditions.
bool isIndex(ElementType type) {
  return type == ElementType::Int64 || type == ElementType::Int32 || type == ElementType::Bool;
}

/// Whether a tensor of this type that is computed from host values alone is itself a host value.
HostUse useOf(const Type& type) {
  if (type.kind != Type::Kind::Tensor || !type.ranked) return HostUse::ShapeOnly;
  if (type.elementCount() == 1) return HostUse::Always;
  if (type.dims.size() > 1) return HostUse::Never;
  return isIndex(type.element) ? HostUse::Always : HostUse::ShapeOnly;
}

/// The origin of a constant value, by the operator that produced it before an earlier run removed that operator.
HostOrigin originOf(const Module& module, const Value& value) {
  if (value.producer != kNone)
    return isConstantOperator(module, module.ops[value.producer]) ? HostOrigin::Literal : HostOrigin::Shape;
  return isFloatingPoint(value.type.element) ? HostOrigin::Weight : HostOrigin::Literal;
}

/// The number of elements of a static tensor of rank 0 or 1, or of one element; nullopt beyond `kMaxHostElements`.
std::optional<int64_t> followedCount(const Type& type) {
  if (type.kind != Type::Kind::Tensor || !type.isStatic()) return std::nullopt;
  const auto count = type.elementCount();
  if (!count || *count > kMaxHostElements || (type.dims.size() > 1 && *count != 1)) return std::nullopt;
  return count;
}

HostValue constantValue(const TensorConstant& constant) {
  HostValue result;
  result.use = useOf(constant.type);
  // A vector of floats, or a tensor of unknown rank, may be a weight or a scale.
  if (result.use == HostUse::Never) return result;
  const auto count = followedCount(constant.type);
  if (!count) return result;
  result.elements.emplace(static_cast<size_t>(*count));
  for (size_t i = 0; i < result.elements->size(); ++i) {
    if (constant.ints && i < constant.ints->size())
      (*result.elements)[i] = static_cast<HostNumber>((*constant.ints)[i]);
    if (constant.floats && i < constant.floats->size() && std::isfinite((*constant.floats)[i]))
      (*result.elements)[i] = (*constant.floats)[i];
  }
  return result;
}

/// `Shape`, with `start` and `end` of opset 15.
HostValue shapeOf(const Type& type, const Op& op) {
  HostValue result{HostUse::Always, HostOrigin::Shape, std::nullopt};
  if (!type.isTensor() || !type.ranked) return result;
  const auto rank = static_cast<int64_t>(type.dims.size());
  const auto bound = [&](std::string_view name, int64_t fallback) {
    const auto* attribute = op.attribute(name);
    const auto* value = attribute != nullptr ? std::get_if<int64_t>(&attribute->value) : nullptr;
    const int64_t index = value != nullptr ? *value : fallback;
    return std::clamp<int64_t>(index < 0 ? index + rank : index, 0, rank);
  };
  const int64_t end = bound("end", rank);
  result.elements.emplace();
  for (int64_t i = bound("start", 0); i < end; ++i) {
    const Dim& dim = type.dims[static_cast<size_t>(i)];
    result.elements->push_back(dim.isNumber() ? HostElement(static_cast<HostNumber>(dim.value)) : HostElement());
  }
  return result;
}

HostValue sizeOf(const Type& type) {
  HostValue result{HostUse::Always, HostOrigin::Shape, HostElements(1)};
  if (const auto count = type.elementCount()) result.elements->front() = static_cast<HostNumber>(*count);
  return result;
}

struct ShapeOperands {
  std::string_view type;
  /// A bit for each.
  uint8_t operands;
};

constexpr uint8_t at(auto... operands) { return static_cast<uint8_t>((... | (1u << operands))); }

/// From ONNX's operator definitions. In older opsets some of these operands are attributes.
constexpr ShapeOperands kShapeOperands[] = {
    {"AffineGrid", at(1)},     {"CenterCropPad", at(1)}, {"Col2Im", at(1, 2)},       {"ConstantOfShape", at(0)},
    {"CumSum", at(1)},         {"Expand", at(1)},        {"MaxUnpool", at(2)},       {"OneHot", at(1)},
    {"Pad", at(1, 3)},         {"Range", at(0, 1, 2)},   {"Reshape", at(1)},         {"Resize", at(1, 2, 3)},
    {"Slice", at(1, 2, 3, 4)}, {"Split", at(1)},         {"SplitToSequence", at(1)}, {"Squeeze", at(1)},
    {"Tile", at(1)},           {"TopK", at(1)},          {"Trilu", at(1)},           {"Unsqueeze", at(1)},
    {"Upsample", at(1)},
};

}  // namespace

bool isShapeOperand(const Module& module, const Op& op, uint32_t operand) {
  if (!op.domain.empty()) return false;
  const std::string_view type = module.text(op.type);
  if (operand == 1 && type.starts_with("Reduce")) return true;
  const auto* row = std::ranges::lower_bound(kShapeOperands, type, {}, &ShapeOperands::type);
  return row != std::end(kShapeOperands) && row->type == type && operand < 8 && (row->operands >> operand & 1u) != 0;
}

HostValues::HostValues(const Module& module, const IdVector<ValueId, Type>* types)
    : module_(module), types_(types), values_(module.values.size()) {
  for (const ValueId id : module.values.ids())
    if (module.values[id].kind == Value::Kind::Constant && module.values[id].constant) {
      values_[id] = constantValue(*module.values[id].constant);
      values_[id].origin = originOf(module, module.values[id]);
    }
}

void HostValues::evaluate(const Op& op) {
  if (!op.domain.empty() || !op.regions.empty() || op.outputs.empty() || op.outputs.front() == kNone) return;
  const ValueId output = op.outputs.front();
  const std::string_view type = module_.text(op.type);
  if (const auto constant = constantOperatorTensor(module_, op)) {
    values_[output] = constantValue(*constant);
    return;
  }
  if (tellsShape(type)) {
    const Type operand = op.inputs.empty() || op.inputs.front() == kNone ? Type() : typeOf(op.inputs.front());
    values_[output] = type == "Shape" ? shapeOf(operand, op) : sizeOf(operand);
    return;
  }
  const ShapeOperator* known = shapeOperator(type);
  if (known == nullptr || op.inputs.empty()) return;
  HostUse use = known->computedOnDevice ? HostUse::ShapeOnly : HostUse::Always;
  HostOrigin origin = HostOrigin::Literal;
  ShapeOperation operation;
  // CastLike reads only the type of its second operand.
  const size_t operands = type == "CastLike" ? 1 : op.inputs.size();
  for (size_t i = 0; i < operands; ++i) {
    const ValueId input = op.inputs[i];
    operation.operands.push_back(input != kNone && values_[input].elements ? &*values_[input].elements : nullptr);
    if (input == kNone) continue;
    use = std::min(use, values_[input].use);
    origin = std::max(origin, values_[input].origin);
  }
  if (use == HostUse::Never || origin == HostOrigin::Weight) return;
  for (const ValueId result : op.outputs) {
    if (result == kNone) continue;
    values_[result].use = std::min(use, useOf(typeOf(result)));
    values_[result].origin = origin;
  }
  const Type& resultType = typeOf(output);
  operation.count = followedCount(resultType);
  if (!operation.count || known->evaluate == nullptr || values_[output].use == HostUse::Never) return;
  while (operation.operands.size() > 1 && op.inputs[operation.operands.size() - 1] == kNone)
    operation.operands.pop_back();
  operation.resultType = resultType.element;
  operation.attribute = [&op](std::string_view name) -> std::optional<AttributeValue> {
    const Attribute* attribute = op.attribute(name);
    return attribute != nullptr ? std::optional(attribute->value) : std::nullopt;
  };
  values_[output].elements = evaluateShape(*known, operation);
}

}  // namespace amdahlc::ir
