#include "ir/program_import/result_types.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "ir/known_values.h"
#include "ir/onnx_import/operator_types.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/program_import/promotion.h"

namespace amdahlc::ir {
namespace {

bool isAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Of operands of several types. `Where` has another operand first.
constexpr std::string_view kPromoting[] = {"Add", "Clip", "Concat", "Div", "Max", "Min", "Mul", "Pow", "Sub", "Where"};
/// Of integers they have reals of the process's default type.
constexpr std::string_view kOfReals[] = {
    "Cos",     "Div", "Erf",     "Exp",        "Log",  "Reciprocal", "ReduceLogSumExp",
    "Sigmoid", "Sin", "Softmax", "LogSoftmax", "Sqrt", "Tanh"};
/// Of integers they have integers of 64 bits.
constexpr std::string_view kSums[] = {"CumSum", "ReduceProd", "ReduceSum"};

PromotedOperand::Rank rankOf(const Type& type) {
  if (!type.ranked) return PromotedOperand::Rank::Unknown;
  return type.dims.empty() ? PromotedOperand::Rank::Scalar : PromotedOperand::Rank::Dims;
}

/// Of the operands with dimensions; Undefined if they differ, or there are none.
ElementType elementWithDims(std::span<const PromotedOperand> operands) {
  ElementType found = ElementType::Undefined;
  for (const PromotedOperand& operand : operands) {
    if (operand.rank != PromotedOperand::Rank::Dims) continue;
    if (found != ElementType::Undefined && operand.element != found) return ElementType::Undefined;
    found = operand.element;
  }
  return found;
}

}  // namespace

void ResultTypes::addOperator(OpId op, const Lowering& lowering, const Lowering::Operator& part,
                              const LoweredAttributes& known, const CallOperands& operands) {
  if (!part.attributes.empty() && operands.hasValues)
    (known.areKnown ? statesAttributes_ : lacksAttributes_).insert(op);
  for (size_t place = lowering.parameters.size(); place < operands.arguments.size(); ++place) {
    if (operands.arguments[place] || operands.isAbsent[place]) continue;
    const bool isNo = place < operands.values.size() && operands.values[place].type == expression::Value::Type::Bool &&
                      operands.values[place].integer == 0;
    if (!isNo) mayConvert_.insert(op);
  }
}

/// Whether the types of operands tell that of the result, with the attributes, such as strides and axes, that the
/// lowering states.
bool ResultTypes::isTold(const Module& module, OpId op, SymbolMemo<bool>& hasNoAttributes) const {
  constexpr std::string_view kWithoutThem[] = {"Gelu",       "Gemm",    "LayerNormalization", "LeakyRelu",
                                               "LogSoftmax", "Softmax", "RMSNormalization",   "Transpose"};
  if (statesAttributes_.contains(op)) return true;
  if (lacksAttributes_.contains(op)) return false;
  if (!module.ops[op].domain.empty()) return false;
  return hasNoAttributes.of(module.ops[op].type, [&](std::string_view type) {
    if (isAmong(kWithoutThem, type)) return true;
    const auto signature = onnx_schemas::operatorSignature("", std::string(type));
    return signature && signature->attributes.empty();
  });
}

/// Where PyTorch computes another type than ONNX, which has operands of one type.
ElementType ResultTypes::elementOf(const Module& module, OpId id, ElementType inferred) const {
  const Op& op = module.ops[id];
  const std::string_view type = module.text(op.type);
  std::vector<PromotedOperand> operands;
  for (size_t i = type == "Where" ? 1 : 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].isNone()) continue;
    const Type& operand = module.values[op.inputs[i]].type;
    operands.push_back(
        {operand.element, numbers_.contains(op.inputs[i]) ? PromotedOperand::Rank::Number : rankOf(operand)});
  }
  ElementType element = inferred;
  if (isAmong(kPromoting, type)) {
    // What a call writes in place keeps its type.
    if (writtenInPlace_.contains(id)) return elementWithDims(operands);
    element = promoted(operands);
  }
  const bool isOfIntegers = isInteger(element);
  if (isAmong(kOfReals, type) && isOfIntegers) return ElementType::Undefined;
  const bool isSum = isAmong(kSums, type);
  if (mayConvert_.contains(id) && (isSum || type == "ReduceMean" || type == "Softmax" || type == "LogSoftmax"))
    return ElementType::Undefined;
  return isSum && isOfIntegers ? ElementType::Int64 : element;
}

void ResultTypes::infer(Module& module) const {
  const OperatorTypes types(module);
  const HostValues elements(module);
  SymbolMemo<bool> hasNoAttributes(module.strings);
  IdVector<ValueId, Type> known;
  for (const Value& value : module.values) known.push_back(value.type);
  for (const OpId op : module.graphs[kMainGraph].order) {
    if (!isTold(module, op, hasNoAttributes)) continue;
    std::vector<Type> results = types.resultsOf(module.ops[op], known, elements);
    if (results.empty() || module.values[module.ops[op].outputs.front()].type.kind != Type::Kind::Unknown) continue;
    Type& result = results.front();
    if (result.isTensor()) result.element = elementOf(module, op, result.element);
    // Without both, nothing is known.
    if (result.element == ElementType::Undefined && !result.ranked) continue;
    const ValueId value = module.ops[op].outputs.front();
    module.values[value].type = known[value] = result;
    module.values[value].byteSize = result.byteSize();
  }
}

}  // namespace amdahlc::ir
