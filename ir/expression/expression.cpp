#include "ir/expression/expression.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "ir/type.h"

namespace amdahlc::expression {
namespace {

using Kind = ir::Expr::Kind;

/// Most parameters of a function.
constexpr size_t kMaxArguments = 4;

bool fits(const Function& function, size_t arguments) {
  return arguments >= function.requiredArguments() && arguments <= function.parameters.size() &&
         arguments <= kMaxArguments;
}

Truth asCondition(const Value& value, const Leaves& leaves) {
  if (value.type == Value::Type::Regex)
    return leaves.launch ? equal(Value::of(leaves.launch->kernelName), value) : Truth::Unknown;
  return truth(value);
}

/// Calls the function with the values of its arguments.
auto call(const Function& function, auto arguments) {
  return [implementation = function.implementation, arguments = std::move(arguments)](const Leaves& leaves) {
    std::array<Value, kMaxArguments> values;
    for (size_t i = 0; i < arguments.size(); ++i) values[i] = arguments[i](leaves);
    return implementation(leaves, {values.data(), arguments.size()});
  };
}

/// The value of an operator.
Value evaluateOperator(Kind kind, const auto& arguments, const Leaves& leaves) {
  const auto argument = [&](size_t i) { return arguments[i](leaves); };
  switch (kind) {
    case Kind::And:
    case Kind::Or: {
      const bool every = kind == Kind::And;
      Truth result = truthOf(every);
      for (size_t i = 0; i < arguments.size() && result != truthOf(!every); ++i) {
        const Truth next = asCondition(argument(i), leaves);
        result = every ? conjunction(result, next) : disjunction(result, next);
      }
      return Value::of(result);
    }
    case Kind::Not:
      return Value::of(negation(asCondition(argument(0), leaves)));
    case Kind::Eq:
      return Value::of(equal(argument(0), argument(1)));
    case Kind::Ne:
      return Value::of(negation(equal(argument(0), argument(1))));
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
      return Value::of(compare(kind, argument(0), argument(1)));
    case Kind::In: {
      // Like the disjunction of the equalities: after an unknown member, the others can still decide.
      const Value tested = argument(0);
      Truth result = Truth::False;
      for (size_t i = 1; i < arguments.size() && result != Truth::True; ++i)
        result = disjunction(result, equal(tested, argument(i)));
      return Value::of(result);
    }
    case Kind::Neg:
      return negated(argument(0));
    default:
      return arithmetic(kind, argument(0), argument(1));
  }
}

Value unknown(const Leaves&) { return Value::unknown(); }

}  // namespace

Expression::Expression(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values)
    : evaluate_(compile(source, context, values, false)) {}

Truth Expression::truth(const Leaves& leaves) const { return asCondition(evaluate(leaves), leaves); }

Expression::Evaluate Expression::compile(const ir::Expr& source, Context context,
                                         std::span<const ir::PatternValue> values, bool graphValue) {
  const auto constant = [](Value value) -> Evaluate {
    return [value = std::move(value)](const Leaves&) { return value; };
  };
  const Function* function = nullptr;
  const bool isList = source.kind == Kind::Call && source.text == ir::kListConstructor;
  switch (source.kind) {
    case Kind::Bool:
      return constant(Value::of(source.integer != 0));
    case Kind::Int:
      return constant(Value::of(source.integer));
    case Kind::Float:
      return constant(Value::of(source.real));
    case Kind::String:
      return [text = source.text](const Leaves&) { return Value::of(std::string_view(text)); };
    case Kind::Regex: {
      auto regex = std::make_shared<const re2::RE2>(source.text, re2::RE2::Quiet);
      if (!regex->ok()) return unknown;
      return [regex = std::move(regex)](const Leaves&) { return Value::of(*regex); };
    }
    case Kind::Name:
      return compileName(source.text, context, values, graphValue);
    case Kind::Call:
      if (isList) break;
      function = findFunction(source.text);
      if (function == nullptr || !function->allows(context) || !fits(*function, source.args.size())) return unknown;
      break;
    default:
      break;  // an operator
  }
  std::vector<Evaluate> arguments;
  for (size_t i = 0; i < source.args.size(); ++i) {
    const bool wantsGraphValue = function && function->parameters[i].type == Type::GraphValue;
    arguments.push_back(compile(source.args[i], context, values, wantsGraphValue));
  }
  if (function) return call(*function, std::move(arguments));
  if (!isList)
    return [kind = source.kind, arguments = std::move(arguments)](const Leaves& leaves) {
      return evaluateOperator(kind, arguments, leaves);
    };
  return [arguments = std::move(arguments)](const Leaves& leaves) {
    std::vector<Value> items;
    for (const Evaluate& argument : arguments) items.push_back(argument(leaves));
    return Value::list(std::move(items));
  };
}

Expression::Evaluate Expression::compileName(const std::string& name, Context context,
                                             std::span<const ir::PatternValue> values, bool graphValue) {
  if (const Function* row = findName(name, context)) {
    testsElements_ |= context == Context::Constant && !graphValue;
    if (context != Context::Constant || !graphValue) return call(*row, std::array<Evaluate, 0>());
    return [](const Leaves& leaves) {
      return leaves.match ? Value::graph(leaves.match->testedConstant) : Value::unknown();
    };
  }
  const auto value = context == Context::Where || context == Context::Argument
                         ? std::ranges::find(values, name, &ir::PatternValue::name)
                         : values.end();
  if (value != values.end() && context == Context::Argument) {
    // A tensor is known by its place among the parameters.
    const auto slot = static_cast<size_t>(value - values.begin());
    if (graphValue) return [slot](const Leaves&) { return Value::graph(ir::ValueId(slot)); };
    return [slot](const Leaves& leaves) { return leaves.call ? leaves.call->values[slot] : Value::unknown(); };
  }
  if (value != values.end()) {
    values_.push_back(static_cast<uint32_t>(value - values.begin()));
    return [slot = values_.back()](const Leaves& leaves) {
      if (!leaves.match) return Value::unknown();
      const bool isBound = slot < leaves.match->bound.size() && leaves.match->bound[slot] != kUnboundValue;
      return Value::graph(isBound ? leaves.match->bound[slot] : ir::kNone);
    };
  }
  if (context == Context::Argument) return unknown;
  if (const auto element = context == Context::Kernel ? std::nullopt : ir::elementTypeFromName(name))
    return [element = *element](const Leaves&) { return Value::of(element); };
  if (context != Context::Attribute) return unknown;
  return [name](const Leaves& leaves) {
    return leaves.match ? attributeValue(*leaves.match, leaves.match->testedOp, name) : Value::unknown();
  };
}

}  // namespace amdahlc::expression
