#include "ir/program_import/call_lowering.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "ir/applicability.h"
#include "runs/execution_trace/op_schema.h"

namespace amdahlc::ir {

namespace {

/// nullopt for what is no tensor.
std::optional<Type> tensorType(std::span<const int64_t> dims, std::string_view written, const RuntimeAdapter& runtime) {
  const auto element = elementTypeFromName(runtime.elementType(written));
  // The dimensions of a number, a text or a list of numbers are empty, and so are those of a tensor of one element.
  if (!element && dims.empty()) return std::nullopt;
  // What is no whole number in a trace is read as a negative one.
  if (std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; }))
    return Type::unranked(element.value_or(ElementType::Undefined));
  std::vector<Dim> shape;
  for (const int64_t dim : dims) shape.push_back(Dim::of(dim));
  return Type::tensor(element.value_or(ElementType::Undefined), std::move(shape));
}

bool fits(const Lowering::Parameter& parameter, const CallOperands& operands, size_t place) {
  using Kind = Lowering::Parameter::Kind;
  if (parameter.kind == Kind::Any) return true;
  if (parameter.kind == Kind::Value) {
    if (place < operands.arguments.size() && operands.arguments[place]) return false;
    const bool isKnown = place < operands.values.size() && !operands.values[place].isUnknown();
    return isKnown || parameter.optional;
  }
  if (place >= operands.arguments.size() || operands.isAbsent[place]) return parameter.optional;
  return parameter.kind == Kind::Constant || operands.arguments[place].has_value();
}

bool fits(const Lowering& lowering, const CallOperands& operands) {
  for (size_t i = 0; i < lowering.parameters.size(); ++i)
    if (!fits(lowering.parameters[i], operands, operands.placeOf(lowering, i))) return false;
  return lowering.moreTensors || operands.tensorsFrom(lowering.parameters.size()).empty();
}

using ArgumentValue = expression::Value;

/// A number or a truth value as Python writes it; unknown for other text.
ArgumentValue scalarOf(std::string_view text) {
  if (text == "True" || text == "False") return ArgumentValue::of(text == "True");
  int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, integer); error == std::errc() && at == end)
    return ArgumentValue::of(integer);
  double real = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, real); error == std::errc() && at == end)
    return ArgumentValue::of(real);
  return ArgumentValue::unknown();
}

/// What an argument is that the trace writes so: `[1, 1]`, `False`, `0.5`.
ArgumentValue valueOf(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return scalarOf(text);
  text = text.substr(1, text.size() - 2);
  std::vector<ArgumentValue> items;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    items.push_back(scalarOf(text.substr(0, end)));
    if (items.back().isUnknown()) return ArgumentValue::unknown();
    text.remove_prefix(std::min(text.size(), end + 1));
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return ArgumentValue::list(std::move(items));
}

ArgumentValue valueOf(const execution_trace::ExecutionTrace& trace, std::span<const execution_trace::Value> values) {
  using Kind = execution_trace::ValueKind;
  const execution_trace::Value& value = values.front();
  switch (value.kind) {
    case Kind::Integer:
      return ArgumentValue::of(value.number);
    case Kind::Boolean:
      return ArgumentValue::of(value.number != 0);
    case Kind::Real:
      return scalarOf(trace.text(value.text));
    case Kind::Text:
      return ArgumentValue::of(trace.text(value.text));
    case Kind::List: {
      std::vector<ArgumentValue> items;
      for (size_t at = 1; at < values.size(); at = execution_trace::behind(values, at)) {
        items.push_back(valueOf(trace, values.subspan(at, execution_trace::behind(values, at) - at)));
        if (items.back().isUnknown() || items.back().type == ArgumentValue::Type::List) return ArgumentValue::unknown();
      }
      return ArgumentValue::list(std::move(items));
    }
    default:
      return ArgumentValue::unknown();
  }
}

/// As an attribute that a schema declares to hold such things; nullopt if the value is none.
std::optional<AttributeValue> attributeOf(const ArgumentValue& value, std::optional<onnx_schemas::AttributeKind> kind) {
  using Kind = onnx_schemas::AttributeKind;
  using ValueType = ArgumentValue::Type;
  if (value.type == ValueType::List || kind == Kind::List) {
    if (kind && kind != Kind::List) return std::nullopt;
    const std::span<const ArgumentValue> items = value.type == ValueType::List ? value.items : std::span(&value, 1);
    std::vector<int64_t> integers;
    std::vector<double> reals;
    for (const ArgumentValue& item : items) {
      if (item.type == ValueType::Int || item.type == ValueType::Bool) integers.push_back(item.integer);
      if (item.isNumber()) reals.push_back(item.number());
    }
    if (integers.size() == items.size()) return AttributeValue(std::move(integers));
    return reals.size() == items.size() ? std::optional(AttributeValue(std::move(reals))) : std::nullopt;
  }
  const bool isWhole = value.type == ValueType::Int || value.type == ValueType::Bool;
  // Attributes of ONNX have single precision.
  if (value.isNumber() && kind == Kind::Float)
    return std::isfinite(value.number()) && std::abs(value.number()) > std::numeric_limits<float>::max()
               ? std::nullopt
               : std::optional(AttributeValue(static_cast<double>(static_cast<float>(value.number()))));
  if (isWhole && (!kind || kind == Kind::Integer)) return AttributeValue(value.integer);
  if (value.type == ValueType::Float && !kind) return AttributeValue(value.real);
  if (value.type == ValueType::String && (!kind || kind == Kind::String))
    return AttributeValue(std::string(value.text));
  return std::nullopt;
}

/// nullopt where no schema tells.
std::optional<onnx_schemas::AttributeKind> kindOf(const OperatorName& op, const std::string& attribute) {
  const auto schema = onnx_schemas::operatorSchema(op.domain, op.type);
  if (!schema) return std::nullopt;
  const auto known = schema->attributes.find(attribute);
  const bool isTold = known != schema->attributes.end() && known->second != onnx_schemas::AttributeKind::Other;
  return isTold ? std::optional(known->second) : std::nullopt;
}

}  // namespace

CallOperands::CallOperands(const OperatorFacts& facts, const RuntimeAdapter& runtime)
    : isKnown(!facts.inputDims.empty() || !facts.inputTypes.empty()), hasValues(!facts.values.empty()) {
  for (size_t i = 0; i < std::max(facts.inputDims.size(), facts.inputTypes.size()); ++i) {
    const std::string_view type = i < facts.inputTypes.size() ? std::string_view(facts.inputTypes[i]) : "";
    arguments.push_back(tensorType(
        i < facts.inputDims.size() ? std::span(facts.inputDims[i]) : std::span<const int64_t>(), type, runtime));
    isAbsent.push_back(!arguments.back() && type.empty());
    if (hasValues) values.push_back(i < facts.values.size() ? valueOf(facts.values[i]) : expression::Value());
  }
}

CallOperands::CallOperands(const execution_trace::ExecutionTrace& trace,
                           std::span<const execution_trace::Value> written, const RuntimeAdapter& runtime,
                           std::string_view schema)
    : isKnown(true), hasValues(true) {
  const auto add = [&](const execution_trace::Value& value) {
    const execution_trace::Tensor& tensor = trace.tensors[static_cast<size_t>(value.number)];
    const bool isRanked = tensor.sizes != execution_trace::kNoSizes;
    const auto sizes = isRanked ? trace.sizes[tensor.sizes] : std::span<const int64_t>();
    const auto element = elementTypeFromName(runtime.elementType(trace.text(tensor.type)));
    std::vector<Dim> shape;
    for (const int64_t size : sizes) shape.push_back(Dim::of(size));
    Type type = Type::tensor(element.value_or(ElementType::Undefined), std::move(shape));
    type.ranked = isRanked;
    arguments.emplace_back(std::move(type));
    isAbsent.push_back(false);
    tensors.push_back(static_cast<uint32_t>(value.number));
    values.emplace_back();
  };
  const auto declared = execution_trace::schemaArguments(schema);
  size_t argument = 0;
  for (size_t at = 0; at < written.size(); at = execution_trace::behind(written, at), ++argument) {
    const size_t end = execution_trace::behind(written, at), before = arguments.size();
    for (size_t inner = at; inner < end; ++inner)
      if (written[inner].kind == execution_trace::ValueKind::Tensor) add(written[inner]);
    if (arguments.size() == before) {
      arguments.emplace_back();
      isAbsent.push_back(written[at].kind == execution_trace::ValueKind::None);
      tensors.push_back(kNoTensor);
      values.push_back(valueOf(trace, written.subspan(at, end - at)));
    }
    if (!declared.empty())
      names.resize(arguments.size(), argument < declared.size() ? declared[argument].name : std::string_view());
  }
}

std::vector<size_t> CallOperands::tensorsFrom(size_t first) const {
  std::vector<size_t> places;
  for (size_t place = first; place < arguments.size(); ++place)
    if (arguments[place]) places.push_back(place);
  return places;
}

void setElements(const expression::Value& value, TensorConstant& constant) {
  const bool isList = value.type == expression::Value::Type::List;
  const std::span<const expression::Value> items = isList ? value.items : std::span(&value, 1);
  if (items.size() > static_cast<size_t>(TensorConstant::kMaxKeptElements)) return;
  std::vector<int64_t> integers;
  std::vector<double> reals;
  for (const expression::Value& item : items) {
    if (!item.isNumber()) return;
    if (item.type == expression::Value::Type::Int) integers.push_back(item.integer);
    // Of single precision, as its type says.
    if (std::isfinite(item.number()) && std::abs(item.number()) > std::numeric_limits<float>::max()) return;
    reals.push_back(static_cast<double>(static_cast<float>(item.number())));
  }
  const bool isWhole = integers.size() == items.size();
  constant.type = Type::tensor(isWhole ? ElementType::Int64 : ElementType::Float,
                               isList ? std::vector{Dim::of(static_cast<int64_t>(items.size()))} : std::vector<Dim>());
  if (isWhole)
    constant.ints = std::move(integers);
  else
    constant.floats = std::move(reals);
}

size_t parametersBeforeMore(const Lowering& lowering) {
  return static_cast<size_t>(std::ranges::count(lowering.parameters, false, &Lowering::Parameter::behindMore));
}

size_t CallOperands::placeOf(const Lowering& lowering, size_t parameter) const {
  if (!lowering.parameters[parameter].behindMore) return parameter;
  const size_t first = parametersBeforeMore(lowering);
  const std::vector<size_t> further = tensorsFrom(first);
  return (further.empty() ? first : further.back() + 1) + (parameter - first);
}

CallLowerings::CallLowerings(const RuleSet& rules, const Target& target) {
  for (const Lowering& lowering : rules.lowerings) {
    if (!applies(lowering.where, target)) continue;
    for (const std::string& call : lowering.calls) byCall_[call].push_back(&lowering);
    std::vector<PatternValue> names;
    for (const Lowering::Parameter& parameter : lowering.parameters) names.emplace_back().name = parameter.name;
    for (uint32_t op = 0; op < lowering.ops.size(); ++op)
      for (const Lowering::Attribute& one : lowering.ops[op].attributes)
        attributes_[&lowering].push_back(
            {op, &one, kindOf(lowering.ops[op].name, one.name), {one.value, expression::Context::Argument, names}});
  }
}

std::vector<LoweredAttributes> CallLowerings::attributesOf(const Lowering& lowering,
                                                           const CallOperands& operands) const {
  std::vector<LoweredAttributes> found(lowering.ops.size());
  const auto compiled = attributes_.find(&lowering);
  if (compiled == attributes_.end()) return found;
  std::vector<expression::Value> values;
  std::vector<std::optional<size_t>> ranks;
  const auto isNothing = [&](size_t parameter) {
    const size_t place = operands.placeOf(lowering, parameter);
    return place >= operands.isAbsent.size() || operands.isAbsent[place];
  };
  for (size_t i = 0; i < lowering.parameters.size(); ++i) {
    const size_t place = operands.placeOf(lowering, i);
    values.push_back(place < operands.values.size() ? operands.values[place] : expression::Value());
    const Type* tensor =
        place < operands.arguments.size() && operands.arguments[place] ? &*operands.arguments[place] : nullptr;
    ranks.push_back(tensor != nullptr && tensor->ranked ? std::optional(tensor->dims.size()) : std::nullopt);
  }
  const expression::CallLeaves call{values, ranks, operands.names, operands.values};
  for (const CompiledAttribute& one : compiled->second) {
    LoweredAttributes& into = found[one.op];
    const Expr& written = one.written->value;
    const auto parameter = std::ranges::find(lowering.parameters, written.text, &Lowering::Parameter::name);
    if (operands.hasValues && written.kind == Expr::Kind::Name && parameter != lowering.parameters.end() &&
        isNothing(static_cast<size_t>(parameter - lowering.parameters.begin())))
      continue;
    if (auto value = attributeOf(one.value.evaluate({.call = &call}), one.kind))
      into.attributes.push_back({one.written->name, std::move(*value)});
    else
      into.areKnown = false;
  }
  for (LoweredAttributes& of : found) std::ranges::sort(of.attributes, {}, &Attribute::name);
  return found;
}

const Lowering* CallLowerings::find(std::string_view call, const CallOperands& operands) const {
  const auto found = byCall_.find(call);
  if (found == byCall_.end()) return nullptr;
  const std::vector<const Lowering*>& lowerings = found->second;
  if (!operands.isKnown) {
    const Lowering* least = *std::ranges::min_element(
        lowerings, {}, [](const Lowering* one) { return std::pair(one->ops.size(), one->parameters.size()); });
    // An operator of any number of tensors means nothing without them.
    const bool takesOnlyMore = std::ranges::none_of(least->parameters, [](const Lowering::Parameter& one) {
      return one.kind == Lowering::Parameter::Kind::Tensor || one.kind == Lowering::Parameter::Kind::Constant;
    });
    return least->moreTensors && takesOnlyMore ? nullptr : least;
  }
  const auto first = std::ranges::find_if(lowerings, [&](const Lowering* one) { return fits(*one, operands); });
  return first == lowerings.end() ? nullptr : *first;
}

}  // namespace amdahlc::ir
