#include "ir/constants.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/operator_graph.h"

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

IdVector<ValueId, bool> knownBeforeRun(const Module& module, const OperatorGraph& graph, KnownFrom from) {
  IdVector<ValueId, bool> known(module.values.size(), false);
  for (const ValueId value : module.values.ids()) known[value] = graph.isConstant(value);
  for (const OpId id : graph.order()) {
    const Op& op = module.ops[id];
    const std::string_view type = module.text(op.type);
    const bool isOfShapes = from == KnownFrom::ConstantsAndShapes && (type == "Shape" || type == "Size");
    const bool isComputed =
        op.regions.empty() && !isRandom(type) &&
        (isOfShapes || std::ranges::all_of(op.inputs, [&](ValueId input) { return input == kNone || known[input]; }));
    for (const ValueId output : op.outputs)
      if (output != kNone && isComputed) known[output] = true;
  }
  return known;
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

}  // namespace amdahlc::ir
