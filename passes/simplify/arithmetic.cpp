#include "passes/simplify/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace amdahlc::simplify {

namespace {

using Unary = Number (*)(Number);
using Binary = std::optional<Number> (*)(Number, Number, bool isInteger);

bool isInteger(ir::ElementType type) {
  switch (type) {
    case ir::ElementType::Bool:
    case ir::ElementType::Int8:
    case ir::ElementType::Int16:
    case ir::ElementType::Int32:
    case ir::ElementType::Int64:
    case ir::ElementType::UInt8:
    case ir::ElementType::UInt16:
    case ir::ElementType::UInt32:
    case ir::ElementType::UInt64:
      return true;
    default:
      return false;
  }
}

/// Element `index` of an operand that may be a scalar beside a vector.
const std::optional<Number>& broadcast(const Elements& elements, int64_t index) {
  return elements[elements.size() == 1 ? 0 : static_cast<size_t>(index)];
}

bool broadcasts(const Evaluation& evaluation, size_t operands) {
  for (size_t i = 0; i < operands; ++i) {
    const Elements* elements = evaluation.operand(i);
    if (elements == nullptr || (elements->size() != 1 && elements->size() != static_cast<size_t>(evaluation.count)))
      return false;
  }
  return true;
}

template <auto Apply>
std::optional<Elements> unary(const Evaluation& evaluation) {
  if (!broadcasts(evaluation, 1)) return std::nullopt;
  Elements result(static_cast<size_t>(evaluation.count));
  for (int64_t i = 0; i < evaluation.count; ++i)
    if (const auto& x = broadcast(*evaluation.operand(0), i)) result[static_cast<size_t>(i)] = Apply(*x);
  return result;
}

template <auto Apply>
std::optional<Elements> binary(const Evaluation& evaluation) {
  // Min and Max take any number of operands; more than two do not occur in shape arithmetic.
  if (evaluation.operands.size() != 2 || !broadcasts(evaluation, 2)) return std::nullopt;
  Elements result(static_cast<size_t>(evaluation.count));
  for (int64_t i = 0; i < evaluation.count; ++i) {
    const auto &a = broadcast(*evaluation.operand(0), i), &b = broadcast(*evaluation.operand(1), i);
    if (a && b) result[static_cast<size_t>(i)] = Apply(*a, *b, isInteger(evaluation.resultType()));
  }
  return result;
}

std::optional<Number> divide(Number a, Number b, bool isInteger) {
  if (b == 0) return std::nullopt;
  return isInteger ? std::trunc(a / b) : a / b;
}

std::optional<Number> modulo(Number a, Number b, bool isInteger) {
  if (b == 0 || !isInteger) return std::nullopt;
  return a - b * std::floor(a / b);
}

std::optional<Elements> cast(const Evaluation& evaluation) {
  if (!broadcasts(evaluation, 1)) return std::nullopt;
  Elements result(static_cast<size_t>(evaluation.count));
  const ir::ElementType type = evaluation.resultType();
  for (int64_t i = 0; i < evaluation.count; ++i) {
    const auto& x = broadcast(*evaluation.operand(0), i);
    if (!x) continue;
    result[static_cast<size_t>(i)] = type == ir::ElementType::Bool ? Number(*x != 0)
                                     : isInteger(type)             ? std::trunc(*x)
                                                                   : *x;
  }
  return result;
}

/// Reshape, Squeeze, Unsqueeze, Identity, and Expand of a scalar.
std::optional<Elements> sameElements(const Evaluation& evaluation) {
  if (!broadcasts(evaluation, 1)) return std::nullopt;
  Elements result;
  for (int64_t i = 0; i < evaluation.count; ++i) result.push_back(broadcast(*evaluation.operand(0), i));
  return result;
}

std::optional<Elements> gather(const Evaluation& evaluation) {
  const Elements *data = evaluation.operand(0), *indices = evaluation.operand(1);
  if (data == nullptr || indices == nullptr || indices->size() != static_cast<size_t>(evaluation.count))
    return std::nullopt;
  Elements result(indices->size());
  for (size_t i = 0; i < indices->size(); ++i) {
    if (!(*indices)[i]) continue;
    Number index = *(*indices)[i];
    if (index < 0) index += static_cast<Number>(data->size());
    if (index >= 0 && index < static_cast<Number>(data->size())) result[i] = (*data)[static_cast<size_t>(index)];
  }
  return result;
}

/// Of a vector: operands before opset 10 are attributes.
std::optional<Elements> slice(const Evaluation& evaluation) {
  const Elements* data = evaluation.operand(0);
  if (data == nullptr) return std::nullopt;
  const auto bound = [&](size_t operand, std::string_view name) -> std::optional<int64_t> {
    if (evaluation.operands.size() > 1) return evaluation.integer(operand);
    const auto* attribute = evaluation.op.attribute(name);
    const auto* list = attribute != nullptr ? std::get_if<std::vector<int64_t>>(&attribute->value) : nullptr;
    return list != nullptr && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
  };
  auto start = bound(1, "starts"), end = bound(2, "ends");
  auto step = evaluation.op.inputs.size() > 4 && evaluation.op.inputs[4] != ir::kNone ? evaluation.integer(4)
                                                                                      : std::optional<int64_t>(1);
  if (!start || !end || !step || *step == 0) return std::nullopt;
  const auto size = static_cast<int64_t>(data->size());
  // A longer step leaves the vector as well, and cannot overflow the index.
  step = std::clamp<int64_t>(*step, -(size + 1), size + 1);
  const auto clamped = [&](int64_t index) {
    if (index < 0) index = index < -size ? -1 : index + size;
    return *step > 0 ? std::clamp<int64_t>(index, 0, size) : std::clamp<int64_t>(index, -1, size - 1);
  };
  Elements result;
  const int64_t last = clamped(*end);
  for (int64_t i = clamped(*start); *step > 0 ? i < last : i > last; i += *step)
    result.push_back((*data)[static_cast<size_t>(i)]);
  if (static_cast<int64_t>(result.size()) != evaluation.count) return std::nullopt;
  return result;
}

std::optional<Elements> concat(const Evaluation& evaluation) {
  Elements result;
  for (const Elements* operand : evaluation.operands) {
    if (operand == nullptr) return std::nullopt;
    result.insert(result.end(), operand->begin(), operand->end());
  }
  if (static_cast<int64_t>(result.size()) != evaluation.count) return std::nullopt;
  return result;
}

std::optional<Elements> where(const Evaluation& evaluation) {
  if (!broadcasts(evaluation, 3)) return std::nullopt;
  Elements result(static_cast<size_t>(evaluation.count));
  for (int64_t i = 0; i < evaluation.count; ++i)
    if (const auto& condition = broadcast(*evaluation.operand(0), i))
      result[static_cast<size_t>(i)] = broadcast(*evaluation.operand(*condition != 0 ? 1 : 2), i);
  return result;
}

/// Of a whole vector to one element.
template <auto Apply>
std::optional<Elements> reduce(const Evaluation& evaluation) {
  const Elements* data = evaluation.operand(0);
  if (data == nullptr || data->empty() || evaluation.count != 1) return std::nullopt;
  std::optional<Number> total = data->front();
  for (size_t i = 1; i < data->size() && total; ++i)
    total = (*data)[i] ? Apply(*total, *(*data)[i], true) : std::nullopt;
  return Elements{total};
}

std::optional<Elements> constantOfShape(const Evaluation& evaluation) {
  Number fill = 0;
  if (const auto* attribute = evaluation.op.attribute("value")) {
    const auto* tensor = std::get_if<ir::TensorConstant>(&attribute->value);
    if (tensor == nullptr) return std::nullopt;
    if (tensor->ints && tensor->ints->size() == 1)
      fill = static_cast<Number>(tensor->ints->front());
    else if (tensor->floats && tensor->floats->size() == 1)
      fill = tensor->floats->front();
    else
      return std::nullopt;
  }
  return Elements(static_cast<size_t>(evaluation.count), fill);
}

std::optional<Elements> range(const Evaluation& evaluation) {
  const auto start = evaluation.integer(0), delta = evaluation.integer(2);
  if (!start || !delta || !isInteger(evaluation.resultType())) return std::nullopt;
  Elements result;
  for (int64_t i = 0; i < evaluation.count; ++i)
    result.push_back(static_cast<Number>(*start) + static_cast<Number>(i) * static_cast<Number>(*delta));
  return result;
}

std::optional<Number> power(Number a, Number b, bool) {
  const Number result = std::pow(a, b);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

constexpr HostOperator kOperators[] = {
    {"Abs", unary<[](Number x) { return std::fabs(x); }>},
    {"Add", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a + b; }>},
    {"And", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a != 0 && b != 0; }>},
    {"Cast", cast},
    {"CastLike", cast},
    {"Ceil", unary<[](Number x) { return std::ceil(x); }>},
    {"Concat", concat},
    {"ConstantOfShape", constantOfShape, true},
    {"CumSum", nullptr},
    {"Div", binary<divide>},
    {"Equal", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a == b; }>},
    {"Expand", sameElements, true},
    {"Floor", unary<[](Number x) { return std::floor(x); }>},
    {"Gather", gather},
    {"Greater", binary<[](Number a, Number b, bool) -> std::optional<Number> { return (a > b); }>},
    {"GreaterOrEqual", binary<[](Number a, Number b, bool) -> std::optional<Number> { return (a >= b); }>},
    {"Identity", sameElements},
    {"Less", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a < b; }>},
    {"LessOrEqual", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a <= b; }>},
    {"Max", binary<[](Number a, Number b, bool) -> std::optional<Number> { return std::max(a, b); }>},
    {"Min", binary<[](Number a, Number b, bool) -> std::optional<Number> { return std::min(a, b); }>},
    {"Mod", binary<modulo>},
    {"Mul", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a * b; }>},
    {"Neg", unary<[](Number x) { return -x; }>},
    {"Not", unary<[](Number x) { return Number(x == 0); }>},
    {"Or", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a != 0 || b != 0; }>},
    {"Pow", binary<power>},
    {"Range", range, true},
    {"Reciprocal", unary<[](Number x) { return 1 / x; }>},
    {"ReduceMax", reduce<[](Number a, Number b, bool) -> std::optional<Number> { return std::max(a, b); }>},
    {"ReduceMin", reduce<[](Number a, Number b, bool) -> std::optional<Number> { return std::min(a, b); }>},
    {"ReduceProd", reduce<[](Number a, Number b, bool) -> std::optional<Number> { return a * b; }>},
    {"ReduceSum", reduce<[](Number a, Number b, bool) -> std::optional<Number> { return a + b; }>},
    {"Reshape", sameElements},
    {"ScatterElements", nullptr, true},
    {"ScatterND", nullptr, true},
    {"Slice", slice},
    {"Split", nullptr},
    {"Sqrt", unary<[](Number x) { return std::sqrt(x); }>},
    {"Squeeze", sameElements},
    {"Sub", binary<[](Number a, Number b, bool) -> std::optional<Number> { return a - b; }>},
    {"Tile", nullptr, true},
    {"Unsqueeze", sameElements},
    {"Where", where},
};

}  // namespace

std::optional<int64_t> Evaluation::integer(size_t index) const {
  const Elements* elements = operand(index);
  if (elements == nullptr || elements->size() != 1 || !elements->front()) return std::nullopt;
  const Number value = *elements->front();
  // `ends` is often the largest 64-bit integer, which the type holds exactly.
  if (value < static_cast<Number>(INT64_MIN) || value > static_cast<Number>(INT64_MAX)) return std::nullopt;
  return static_cast<int64_t>(value);
}

ir::ElementType Evaluation::resultType() const { return module.values[op.outputs.front()].type.element; }

const HostOperator* hostOperator(std::string_view type) {
  const auto* found = std::lower_bound(std::begin(kOperators), std::end(kOperators), type,
                                       [](const HostOperator& row, std::string_view name) { return row.type < name; });
  return found != std::end(kOperators) && found->type == type ? found : nullptr;
}

}  // namespace amdahlc::simplify
