#include "ir/expression/expression.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/type.h"
#include "support/limits.h"

namespace amdahlc::expression {
namespace {

using Kind = ir::Expr::Kind;

/// Most parameters of a function.
constexpr size_t kMaxArguments = 4;

bool fits(const Function& function, size_t arguments) {
  return arguments >= function.requiredArguments() && arguments <= function.parameters.size() &&
         arguments <= kMaxArguments;
}

}  // namespace

Expression::Expression(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values) {
  add(source, context, values, false, 0);
}

/// `graphValue`: the context expects a value of the graph, not a number.
Expression::Index Expression::add(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values,
                                  bool graphValue, int depth) {
  Node node;
  node.kind = source.kind;
  if (depth > limits::kExpressionTokens || !ir::hasValidArity(source)) {
    node.meaning = Node::Meaning::Unresolved;
  } else {
    resolve(node, source, context, values, graphValue);
    const Function* function =
        node.meaning == Node::Meaning::Function && source.kind == Kind::Call ? findFunction(source.text) : nullptr;
    for (size_t i = 0; i < source.args.size() && node.meaning != Node::Meaning::Unresolved; ++i) {
      const bool wantsGraphValue = function && function->parameters[i].type == Type::GraphValue;
      node.arguments.push_back(add(source.args[i], context, values, wantsGraphValue, depth + 1));
    }
  }
  nodes_.push_back(std::move(node));
  return static_cast<Index>(nodes_.size() - 1);
}

void Expression::resolve(Node& node, const ir::Expr& source, Context context, std::span<const ir::PatternValue> values,
                         bool graphValue) {
  using Meaning = Node::Meaning;
  switch (source.kind) {
    case Kind::Bool:
    case Kind::Int:
    case Kind::Float:
    case Kind::String:
      node.meaning = Meaning::Literal;
      node.literal = source.kind == Kind::Bool    ? Value::of(source.integer != 0)
                     : source.kind == Kind::Int   ? Value::of(source.integer)
                     : source.kind == Kind::Float ? Value::of(source.real)
                                                  : Value::of(std::string_view());
      node.text = source.text;
      return;
    case Kind::Regex:
      node.regex = std::make_shared<const re2::RE2>(source.text, re2::RE2::Quiet);
      node.meaning = node.regex->ok() ? Meaning::Regex : Meaning::Unresolved;
      return;
    case Kind::Name:
      resolveName(node, source.text, context, values, graphValue);
      return;
    case Kind::Call: {
      if (source.text == ir::kListConstructor) {
        node.meaning = Meaning::List;
        return;
      }
      const Function* function = findFunction(source.text);
      const bool callable = function && function->allows(context) && fits(*function, source.args.size());
      node.meaning = callable ? Meaning::Function : Meaning::Unresolved;
      if (callable) node.implementation = function->implementation;
      return;
    }
    default:
      return;  // an operator
  }
}

void Expression::resolveName(Node& node, const std::string& name, Context context,
                             std::span<const ir::PatternValue> values, bool graphValue) {
  using Meaning = Node::Meaning;
  if (const Function* row = findName(name, context)) {
    node.meaning = context == Context::Constant && graphValue ? Meaning::ConstantUnderTest : Meaning::Function;
    node.implementation = row->implementation;
    testsElements_ |= context == Context::Constant && !graphValue;
    return;
  }
  const auto value =
      context == Context::Where ? std::ranges::find(values, name, &ir::PatternValue::name) : values.end();
  if (value != values.end()) {
    node.meaning = Meaning::PatternValue;
    node.slot = static_cast<uint32_t>(value - values.begin());
    values_.push_back(node.slot);
    return;
  }
  if (const auto element = context == Context::Kernel ? std::nullopt : ir::elementTypeFromName(name)) {
    node.meaning = Meaning::Literal;
    node.literal = Value::of(*element);
    return;
  }
  node.meaning = context == Context::Attribute ? Meaning::Attribute : Meaning::Unresolved;
  node.text = name;
}

Value Expression::evaluate(const Leaves& leaves) const {
  return evaluate(static_cast<Index>(nodes_.size() - 1), leaves);
}

Truth Expression::truth(const Leaves& leaves) const { return truth(static_cast<Index>(nodes_.size() - 1), leaves); }

Value Expression::evaluate(Index index, const Leaves& leaves) const {
  using Meaning = Node::Meaning;
  const Node& node = nodes_[index];
  switch (node.meaning) {
    case Meaning::Operator:
      return evaluateOperator(node, leaves);
    case Meaning::Unresolved:
      break;
    case Meaning::Literal:
      return node.literal.type == Value::Type::String ? Value::of(std::string_view(node.text)) : node.literal;
    case Meaning::PatternValue:
      return leaves.match ? Value::graph(leaves.match->bound(node.slot)) : Value::unknown();
    case Meaning::ConstantUnderTest:
      return leaves.match ? Value::graph(leaves.match->testedConstant()) : Value::unknown();
    case Meaning::Attribute:
      return leaves.match ? attributeValue(*leaves.match, leaves.match->testedOp(), node.text) : Value::unknown();
    case Meaning::Regex:
      return Value::of(*node.regex);
    case Meaning::List: {
      std::vector<Value> items;
      for (const Index argument : node.arguments) items.push_back(evaluate(argument, leaves));
      return Value::list(std::move(items));
    }
    case Meaning::Function: {
      std::array<Value, kMaxArguments> arguments;
      for (size_t i = 0; i < node.arguments.size(); ++i) arguments[i] = evaluate(node.arguments[i], leaves);
      return node.implementation(leaves, {arguments.data(), node.arguments.size()});
    }
  }
  return Value::unknown();
}

Value Expression::evaluateOperator(const Node& node, const Leaves& leaves) const {
  const auto argument = [&](size_t i) { return evaluate(node.arguments[i], leaves); };
  switch (node.kind) {
    case Kind::And:
    case Kind::Or: {
      const bool every = node.kind == Kind::And;
      Truth result = truthOf(every);
      for (size_t i = 0; i < node.arguments.size() && result != truthOf(!every); ++i) {
        const Truth next = truth(node.arguments[i], leaves);
        result = every ? conjunction(result, next) : disjunction(result, next);
      }
      return Value::of(result);
    }
    case Kind::Not:
      return Value::of(negation(truth(node.arguments[0], leaves)));
    case Kind::Eq:
      return Value::of(equal(argument(0), argument(1)));
    case Kind::Ne:
      return Value::of(negation(equal(argument(0), argument(1))));
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
      return Value::of(compare(node.kind, argument(0), argument(1)));
    case Kind::In:
      return Value::of(membership(node, leaves));
    case Kind::Neg:
      return negated(argument(0));
    default:
      return arithmetic(node.kind, argument(0), argument(1));
  }
}

/// Like the disjunction of the equalities: after an unknown member, the others can still decide.
Truth Expression::membership(const Node& node, const Leaves& leaves) const {
  const Value tested = evaluate(node.arguments[0], leaves);
  Truth result = Truth::False;
  for (size_t i = 1; i < node.arguments.size() && result != Truth::True; ++i)
    result = disjunction(result, equal(tested, evaluate(node.arguments[i], leaves)));
  return result;
}

Truth Expression::truth(Index index, const Leaves& leaves) const {
  const Value value = evaluate(index, leaves);
  if (value.type == Value::Type::Regex)
    return leaves.launch ? equal(Value::of(leaves.launch->kernelName), value) : Truth::Unknown;
  return expression::truth(value);
}

}  // namespace amdahlc::expression
