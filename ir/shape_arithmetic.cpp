#include "ir/shape_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <iterator>

namespace amdahlc::ir {

namespace {

using Number = HostNumber;
using Elements = HostElements;
using Result = std::optional<Number>;

/// Whether a floating-point type with this many digits and this range of exponents holds the number exactly.
bool isExact(Number number, int digits, int minExponent, int maxExponent) {
  if (number == 0) return true;
  int exponent = 0;
  const Number scaled = std::ldexp(std::frexp(number, &exponent), digits);
  return exponent >= minExponent && exponent <= maxExponent && std::trunc(scaled) == scaled;
}

/// The number as an element of this type.
HostElement stored(const HostElement& element, ElementType type) {
  if (!element) return element;
  const Number number = *element;
  if (type == ElementType::Bool) return Number(number != 0);
  if (isInteger(type)) {
    const auto bits = static_cast<int>(bitWidth(type)) - (isSignedInteger(type) ? 1 : 0);
    const Number limit = std::ldexp(Number(1), bits);
    const Number least = isSignedInteger(type) ? -limit : 0;
    return number >= least && number < limit && std::trunc(number) == number ? element : HostElement();
  }
  const auto finite = [](Number rounded) { return std::isfinite(rounded) ? HostElement(rounded) : HostElement(); };
  switch (type) {
    case ElementType::Float:
      return finite(static_cast<float>(number));
    case ElementType::Double:
      return finite(static_cast<double>(number));
    case ElementType::Float16:
      return isExact(number, 11, -13, 16) ? element : HostElement();
    case ElementType::BFloat16:
      return isExact(number, 8, -125, 128) ? element : HostElement();
    default:
      return {};
  }
}

/// Element `index` of an operand, which may be a scalar that is broadcast to a vector.
const HostElement& broadcast(const Elements& elements, int64_t index) {
  return elements[elements.size() == 1 ? 0 : static_cast<size_t>(index)];
}

/// The length of the broadcast of the first `operands` operands; nullopt if one is unknown, or if they do not fit each
/// other or the type of the result.
std::optional<int64_t> broadcastLength(const ShapeOperation& operation, size_t operands) {
  std::optional<int64_t> length;
  for (size_t i = 0; i < operands; ++i) {
    const Elements* elements = operation.operand(i);
    if (elements == nullptr) return std::nullopt;
    const auto size = static_cast<int64_t>(elements->size());
    if (size == 1) continue;
    if (length && size != *length) return std::nullopt;
    length = size;
  }
  if (!operation.count) return length.value_or(1);
  // Operands of one element may stand for more, as in `Expand`.
  return length && length != operation.count ? std::nullopt : operation.count;
}

/// Computes each element of the broadcast of the first `operands` operands from the elements at its index.
template <typename Compute>
std::optional<Elements> elementwise(const ShapeOperation& operation, size_t operands, const Compute& compute) {
  const auto count = broadcastLength(operation, operands);
  if (!count) return std::nullopt;
  Elements result;
  result.reserve(static_cast<size_t>(*count));
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(
        compute([&](size_t operand) -> const HostElement& { return broadcast(*operation.operand(operand), i); }));
  return result;
}

template <auto Apply>
std::optional<Elements> unary(const ShapeOperation& operation) {
  return elementwise(operation, 1, [](const auto& at) -> HostElement {
    const HostElement& x = at(0);
    return x ? Result(Apply(*x)) : Result();
  });
}

/// The result for two elements; `Apply` may ask for the operation.
template <auto Apply>
Result applied(Number a, Number b, const ShapeOperation& operation) {
  if constexpr (std::invocable<decltype(Apply), Number, Number>)
    return Result(Apply(a, b));
  else
    return Apply(a, b, operation);
}

template <auto Apply>
std::optional<Elements> binary(const ShapeOperation& operation) {
  // Min and Max take any number of operands; more than two do not occur in shape arithmetic.
  if (operation.operands.size() != 2) return std::nullopt;
  return elementwise(operation, 2, [&](const auto& at) -> HostElement {
    const HostElement &a = at(0), &b = at(1);
    return a && b ? applied<Apply>(*a, *b, operation) : Result();
  });
}

/// The remainder has the sign of `a`. It is exact, and so is the quotient of `a` less the remainder.
Result divide(Number a, Number b, const ShapeOperation& operation) {
  if (b == 0) return std::nullopt;
  return isInteger(operation.resultType) ? (a - std::fmod(a, b)) / b : a / b;
}

/// The remainder has the sign of `b`, or of `a` with `fmod`.
Result modulo(Number a, Number b, const ShapeOperation& operation) {
  if (b == 0 || !isInteger(operation.resultType)) return std::nullopt;
  const Number remainder = std::fmod(a, b);
  const auto attribute = operation.attribute("fmod");
  const auto* isFmod = attribute ? std::get_if<int64_t>(&*attribute) : nullptr;
  const bool keepsSign = (isFmod != nullptr && *isFmod != 0) || remainder == 0 || (remainder < 0) == (b < 0);
  return keepsSign ? remainder : remainder + b;
}

std::optional<Elements> cast(const ShapeOperation& operation) {
  const bool isBool = operation.resultType == ElementType::Bool;
  return elementwise(operation, 1, [&](const auto& at) {
    const HostElement& x = at(0);
    if (!x && isBool) return HostElement();
    return x && isInteger(operation.resultType) && !isBool ? HostElement(std::trunc(*x)) : x;
  });
}

/// Reshape, Squeeze, Unsqueeze, Identity, and Expand of a scalar.
std::optional<Elements> sameElements(const ShapeOperation& operation) {
  // Without a type, the length is known of a vector only: one element may be expanded.
  const Elements* elements = operation.operand(0);
  if (!operation.count && elements != nullptr && elements->size() == 1) return std::nullopt;
  return elementwise(operation, 1, [](const auto& at) { return at(0); });
}

std::optional<Elements> gather(const ShapeOperation& operation) {
  const Elements *data = operation.operand(0), *indices = operation.operand(1);
  if (data == nullptr || indices == nullptr) return std::nullopt;
  if (operation.count && indices->size() != static_cast<size_t>(*operation.count)) return std::nullopt;
  Elements result(indices->size());
  for (size_t i = 0; i < indices->size(); ++i) {
    if (!(*indices)[i]) continue;
    Number index = *(*indices)[i];
    if (index < 0) index += static_cast<Number>(data->size());
    if (index >= 0 && index < static_cast<Number>(data->size())) result[i] = (*data)[static_cast<size_t>(index)];
  }
  return result;
}

/// Slices a vector. Before opset 10 the operands are attributes.
std::optional<Elements> slice(const ShapeOperation& operation) {
  const Elements* data = operation.operand(0);
  if (data == nullptr) return std::nullopt;
  const auto bound = [&](size_t operand, std::string_view name) -> std::optional<int64_t> {
    if (operation.operands.size() > 1) return operation.integer(operand);
    const auto attribute = operation.attribute(name);
    const auto* list = attribute ? std::get_if<std::vector<int64_t>>(&*attribute) : nullptr;
    return list != nullptr && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
  };
  auto start = bound(1, "starts"), end = bound(2, "ends");
  auto step = operation.operands.size() > 4 ? operation.integer(4) : std::optional<int64_t>(1);
  if (!start || !end || !step || *step == 0) return std::nullopt;
  const auto size = static_cast<int64_t>(data->size());
  // A longer step also leaves the vector. The limit prevents an overflow of the index.
  step = std::clamp<int64_t>(*step, -(size + 1), size + 1);
  const auto clamped = [&](int64_t index) {
    if (index < 0) index = index < -size ? -1 : index + size;
    return *step > 0 ? std::clamp<int64_t>(index, 0, size) : std::clamp<int64_t>(index, -1, size - 1);
  };
  Elements result;
  const int64_t last = clamped(*end);
  for (int64_t i = clamped(*start); *step > 0 ? i < last : i > last; i += *step)
    result.push_back((*data)[static_cast<size_t>(i)]);
  if (operation.count && static_cast<int64_t>(result.size()) != *operation.count) return std::nullopt;
  return result;
}

std::optional<Elements> concat(const ShapeOperation& operation) {
  Elements result;
  for (const Elements* operand : operation.operands) {
    if (operand == nullptr) return std::nullopt;
    result.insert(result.end(), operand->begin(), operand->end());
  }
  if (operation.count && static_cast<int64_t>(result.size()) != *operation.count) return std::nullopt;
  return result;
}

std::optional<Elements> where(const ShapeOperation& operation) {
  return elementwise(operation, 3, [](const auto& at) {
    const HostElement& condition = at(0);
    return condition ? at(*condition != 0 ? 1 : 2) : HostElement();
  });
}

/// Reduces a whole vector of integers to one element. A sum of floating-point numbers depends on their order.
template <auto Apply>
std::optional<Elements> reduce(const ShapeOperation& operation) {
  const Elements* data = operation.operand(0);
  if (data == nullptr || data->empty() || operation.count != 1 || !isInteger(operation.resultType)) return std::nullopt;
  HostElement total = data->front();
  for (size_t i = 1; i < data->size() && total; ++i)
    total = (*data)[i] ? stored(applied<Apply>(*total, *(*data)[i], operation), operation.resultType) : HostElement();
  return Elements{total};
}

std::optional<Elements> constantOfShape(const ShapeOperation& operation) {
  Number fill = 0;
  if (const auto attribute = operation.attribute("value")) {
    const auto* tensor = std::get_if<TensorConstant>(&*attribute);
    if (tensor == nullptr) return std::nullopt;
    if (tensor->ints && tensor->ints->size() == 1)
      fill = static_cast<Number>(tensor->ints->front());
    else if (tensor->floats && tensor->floats->size() == 1)
      fill = tensor->floats->front();
    else
      return std::nullopt;
  }
  // The operand is the shape: a vector, whose one element is the length of a vector.
  const auto length = operation.count ? operation.count : operation.integer(0);
  if (!length || *length < 0 || *length > kMaxHostElements) return std::nullopt;
  return Elements(static_cast<size_t>(*length), HostElement(fill));
}

std::optional<Elements> range(const ShapeOperation& operation) {
  const auto start = operation.integer(0), delta = operation.integer(2);
  if (!start || !delta || !operation.count || !isInteger(operation.resultType)) return std::nullopt;
  Elements result;
  for (int64_t i = 0; i < *operation.count; ++i)
    result.push_back(static_cast<Number>(*start) + static_cast<Number>(i) * static_cast<Number>(*delta));
  return result;
}

Number larger(Number a, Number b) { return std::max(a, b); }
Number smaller(Number a, Number b) { return std::min(a, b); }

Result power(Number a, Number b) {
  const Number result = std::pow(a, b);
  return std::isfinite(result) ? std::optional(result) : std::nullopt;
}

constexpr ShapeOperator kOperators[] = {
    {"Abs", unary<[](Number x) { return std::fabs(x); }>},
    {"Add", binary<std::plus<>{}>},
    {"And", binary<std::logical_and<>{}>},
    {"Cast", cast},
    {"CastLike", cast},
    {"Ceil", unary<[](Number x) { return std::ceil(x); }>},
    {"Concat", concat},
    {"ConstantOfShape", constantOfShape, true},
    {"CumSum", nullptr},
    {"Div", binary<divide>},
    {"Equal", binary<std::equal_to<>{}>},
    {"Expand", sameElements, true},
    {"Floor", unary<[](Number x) { return std::floor(x); }>},
    {"Gather", gather},
    {"Greater", binary<std::greater<>{}>},
    {"GreaterOrEqual", binary<std::greater_equal<>{}>},
    {"Identity", sameElements},
    {"Less", binary<std::less<>{}>},
    {"LessOrEqual", binary<std::less_equal<>{}>},
    {"Max", binary<larger>},
    {"Min", binary<smaller>},
    {"Mod", binary<modulo>},
    {"Mul", binary<std::multiplies<>{}>},
    {"Neg", unary<std::negate<>{}>},
    {"Not", unary<std::logical_not<>{}>},
    {"Or", binary<std::logical_or<>{}>},
    {"Pow", binary<power>},
    {"Range", range, true},
    {"Reciprocal", unary<[](Number x) { return 1 / x; }>},
    {"ReduceMax", reduce<larger>},
    {"ReduceMin", reduce<smaller>},
    {"ReduceProd", reduce<std::multiplies<>{}>},
    {"ReduceSum", reduce<std::plus<>{}>},
    {"Reshape", sameElements},
    {"ScatterElements", nullptr, true},
    {"ScatterND", nullptr, true},
    {"Slice", slice},
    {"Split", nullptr},
    {"Sqrt", unary<[](Number x) { return std::sqrt(x); }>},
    {"Squeeze", sameElements},
    {"Sub", binary<std::minus<>{}>},
    {"Tile", nullptr, true},
    {"Unsqueeze", sameElements},
    {"Where", where},
};

}  // namespace

std::optional<int64_t> asInteger(HostNumber number) {
  if (!(number >= static_cast<HostNumber>(INT64_MIN) && number <= static_cast<HostNumber>(INT64_MAX)))
    return std::nullopt;
  return std::trunc(number) == number ? std::optional(static_cast<int64_t>(number)) : std::nullopt;
}

std::optional<int64_t> ShapeOperation::integer(size_t index) const {
  const HostElements* elements = operand(index);
  if (elements == nullptr || elements->size() != 1 || !elements->front()) return std::nullopt;
  // `ends` is often the largest 64-bit integer, which `HostNumber` represents exactly.
  return asInteger(*elements->front());
}

std::optional<HostElements> evaluateShape(const ShapeOperator& row, const ShapeOperation& operation) {
  auto result = row.evaluate != nullptr ? row.evaluate(operation) : std::nullopt;
  if (result)
    for (HostElement& element : *result) element = stored(element, operation.resultType);
  return result;
}

const ShapeOperator* shapeOperator(std::string_view type) {
  const auto* found = std::ranges::lower_bound(kOperators, type, {}, &ShapeOperator::type);
  return found != std::end(kOperators) && found->type == type ? found : nullptr;
}

}  // namespace amdahlc::ir
