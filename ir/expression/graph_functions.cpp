// Functions over a match: each with its row at the end of the file.
#include <optional>
#include <utility>

#include "ir/expression/functions.h"
#include "ir/known_values.h"

namespace amdahlc::expression {
namespace {

using Arguments = std::span<const Value>;

/// The graph's value of an argument; nullptr if the operand is omitted or unbound, or the argument is something else.
const ir::Value* graphValue(const Leaves& leaves, Arguments arguments, size_t index) {
  if (leaves.match == nullptr || index >= arguments.size()) return nullptr;
  const Value& argument = arguments[index];
  const auto& values = leaves.match->module.values;
  if (argument.type != Value::Type::GraphValue || !values.contains(argument.graphValue)) return nullptr;
  return &values[argument.graphValue];
}

std::string_view text(Arguments arguments, size_t index) {
  return index < arguments.size() && arguments[index].type == Value::Type::String ? arguments[index].text
                                                                                  : std::string_view();
}

Value dimension(const ir::Dim& dim) {
  if (dim.isNumber()) return Value::of(dim.value);
  return dim.isUnknown() ? Value::unknown() : Value::symbol(dim.symbol);
}

Value ofOptional(const std::optional<int64_t>& number) { return number ? Value::of(*number) : Value::unknown(); }

Value attr(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  if (!value || value->kind != ir::Value::Kind::Result) return Value::unknown();
  return attributeValue(*leaves.match, value->producer, text(arguments, 1));
}

Value bytes(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  return value ? ofOptional(value->byteSize) : Value::unknown();
}

Value constant(const Leaves& leaves, Arguments arguments) {
  if (!graphValue(leaves, arguments, 0)) return Value::unknown();
  return Value::of(static_cast<bool>(ir::constantOf(leaves.match->module, arguments[0].graphValue)));
}

Value dim(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  if (!value || !value->type.ranked || arguments[1].type != Value::Type::Int) return Value::unknown();
  const auto rank = static_cast<int64_t>(value->type.dims.size());
  const int64_t index = arguments[1].integer;
  const int64_t at = index < 0 ? index + rank : index;
  return at >= 0 && at < rank ? dimension(value->type.dims[static_cast<size_t>(at)]) : Value::unknown();
}

Value elements(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  return value ? ofOptional(value->type.elementCount()) : Value::unknown();
}

Value opset(const Leaves& leaves, Arguments arguments) {
  if (leaves.match == nullptr) return Value::unknown();
  const int64_t version = leaves.match->module.opset(text(arguments, 0));
  return version > 0 ? Value::of(version) : Value::unknown();
}

Value rank(const Leaves& leaves, Arguments arguments) {
  if (leaves.call != nullptr) {
    const auto& ranks = leaves.call->ranks;
    const size_t slot = arguments[0].graphValue.index();
    const bool isKnown = arguments[0].type == Value::Type::GraphValue && slot < ranks.size() && ranks[slot];
    return isKnown ? Value::of(static_cast<int64_t>(*ranks[slot])) : Value::unknown();
  }
  const ir::Value* value = graphValue(leaves, arguments, 0);
  return value && value->type.ranked ? Value::of(static_cast<int64_t>(value->type.dims.size())) : Value::unknown();
}

Value same(const Leaves& leaves, Arguments arguments) {
  const ir::Value* a = graphValue(leaves, arguments, 0);
  const ir::Value* b = graphValue(leaves, arguments, 1);
  return a && b ? Value::of(a == b) : Value::unknown();
}

Value sameShape(const Leaves& leaves, Arguments arguments) {
  const ir::Value* a = graphValue(leaves, arguments, 0);
  const ir::Value* b = graphValue(leaves, arguments, 1);
  if (!a || !b || !a->type.ranked || !b->type.ranked) return Value::unknown();
  const auto shape = [](const ir::Type& type) {
    std::vector<Value> dims;
    for (const ir::Dim& one : type.dims) dims.push_back(dimension(one));
    return Value::list(std::move(dims));
  };
  return Value::of(equal(shape(a->type), shape(b->type)));
}

Value scope(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  if (!value || !leaves.match->module.ops.contains(value->producer)) return Value::unknown();
  const ir::Module& module = leaves.match->module;
  return Value::of(
      std::string_view(leaves.match->texts.emplace_back(module.scopePath(module.ops[value->producer].scope))));
}

Value type(const Leaves& leaves, Arguments arguments) {
  const ir::Value* value = graphValue(leaves, arguments, 0);
  if (!value || !value->type.isTensor() || value->type.element == ir::ElementType::Undefined) return Value::unknown();
  return Value::of(value->type.element);
}

Value uses(const Leaves& leaves, Arguments arguments) {
  if (!graphValue(leaves, arguments, 0)) return Value::unknown();
  const ir::ValueId value = arguments[0].graphValue;
  const ir::OperatorGraph& graph = leaves.match->graph;
  return Value::of(static_cast<int64_t>(graph.uses(value).size()) + (graph.isGraphOutput(value) ? 1 : 0));
}

Value value(const Leaves& leaves, Arguments arguments) {
  if (!graphValue(leaves, arguments, 0)) return Value::unknown();
  const ir::ConstantView constant = ir::constantOf(leaves.match->module, arguments[0].graphValue);
  if (constant.knownElements() != 1) return Value::unknown();
  return constant.ints ? Value::of(constant.ints->front()) : Value::of(constant.floats->front());
}

Value it(const Leaves& leaves, Arguments) {
  return leaves.match ? Value::of(leaves.match->testedElement) : Value::unknown();
}

constexpr Parameter kOne[] = {{"v", Type::GraphValue}};
constexpr Parameter kTwo[] = {{"a", Type::GraphValue}, {"b", Type::GraphValue}};
constexpr Parameter kAttr[] = {{"v", Type::GraphValue}, {"name", Type::String}};
constexpr Parameter kDim[] = {{"v", Type::GraphValue}, {"i", Type::Number}};
constexpr Parameter kDomain[] = {{"domain", Type::String, true}};

constexpr Context kWhere[] = {Context::Where};
constexpr Context kConstant[] = {Context::Constant};
constexpr Context kWhereAndConstant[] = {Context::Where, Context::Constant};
constexpr Context kRank[] = {Context::Where, Context::Constant, Context::Argument};

constexpr auto kCall = Function::Form::Call;
constexpr auto kName = Function::Form::Name;

constexpr Function kFunctions[] = {
    {"attr", kCall, kAttr, Type::Any, kWhere,
     "attribute `name` of the operator that produces `v`, or its default in ONNX's schema", attr},
    {"bytes", kCall, kOne, Type::Number, kWhereAndConstant,
     "size of `v` in bytes, where all its dimensions are numbers", bytes},
    {"constant", kCall, kOne, Type::Condition, kWhere, "whether `v` is a constant", constant},
    {"dim", kCall, kDim, Type::Number, kWhereAndConstant,
     "dimension `i` of `v`, a negative `i` counts from the end; a symbolic dimension equals only itself", dim},
    {"elements", kCall, kOne, Type::Number, kWhereAndConstant,
     "number of elements of `v`, where all its dimensions are numbers", elements},
    {"opset", kCall, kDomain, Type::Number, kWhere,
     "version of the operator set that the model imports for `domain`, by default ONNX's own", opset},
    {"rank", kCall, kOne, Type::Number, kRank, "number of dimensions of `v`", rank},
    {"same", kCall, kTwo, Type::Condition, kWhere, "whether `a` and `b` are one value", same},
    {"same_shape", kCall, kTwo, Type::Condition, kWhere, "whether `a` and `b` have equal dimensions", sameShape},
    {"scope", kCall, kOne, Type::String, kWhere, "module scope of the operator that produces `v`", scope},
    {"type", kCall, kOne, Type::ElementType, kWhereAndConstant, "element type of `v`", type},
    {"uses", kCall, kOne, Type::Number, kWhere, "number of uses of `v` as an operand, plus one if its graph returns it",
     uses},
    {"value", kCall, kOne, Type::Number, kWhere, "the value of `v`, if it is a constant of one element", value},
    {"it",
     kName,
     {},
     Type::Number,
     kConstant,
     "the element under test, each in turn; as an argument of a function, the constant itself",
     it},
};

}  // namespace

std::span<const Function> graphFunctions() { return kFunctions; }

}  // namespace amdahlc::expression
