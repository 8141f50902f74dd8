#include "passes/fuse/match_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ir/text.h"
#include "ir/text/rule_words.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

using ir::kNone;

namespace {

std::string describeOperator(const ir::Module& module, ir::OpId op) {
  return fmt::format("`{}`", module.displayName(op));
}

/// "`scores` of `Add_3`" for a named value of the pattern, else "operand 1 of `Add_3`".
std::string describeValue(const ir::Module& module, const ir::Pattern& pattern, const MatchFailure& failure) {
  std::string text = "an operand";
  if (failure.patternValue != ir::kNoIndex && !pattern.values[failure.patternValue].name.empty()) {
    text = fmt::format("`{}`", pattern.values[failure.patternValue].name);
  } else if (failure.user != kNone) {
    const auto& inputs = module.ops[failure.user].inputs;
    const auto found = std::find(inputs.begin(), inputs.end(), failure.value);
    if (found != inputs.end()) text = fmt::format("operand {}", found - inputs.begin());
  }
  return failure.user == kNone ? text : fmt::format("{} of {}", text, describeOperator(module, failure.user));
}

std::string describeConstant(const ir::ConstantTest& test) {
  std::string text = test.equals ? fmt::format("{}", *test.equals) : std::string();
  if (test.test) text += (text.empty() ? "" : " and ") + ir::printExpression(*test.test);
  return text;
}

/// Describes a value of the module that no matching operator produces.
std::string describeProducer(const ir::Module& module, ir::ValueId value) {
  if (value == kNone) return "omitted";
  const ir::Value& actual = module.values[value];
  const auto name = module.text(actual.name);
  switch (actual.kind) {
    case ir::Value::Kind::Input:
      return fmt::format("graph input `{}`", name);
    case ir::Value::Kind::Constant:
      return fmt::format("constant `{}`", name);
    default:
      break;
  }
  if (!module.ops.contains(actual.producer)) return fmt::format("value `{}`", name);
  return fmt::format("produced by {} ({})", describeOperator(module, actual.producer),
                     module.text(module.ops[actual.producer].type));
}

}  // namespace

std::string_view describe(MatchFailure::Reason reason) {
  // In the order of the reasons.
  static constexpr std::string_view kTexts[] = {
      "an operand that no such match has",
      "no operator where one was expected",
      "another operator than expected",
      "an operator in an enclosing graph",
      "another output of the expected operator",
      "an operator that is already in the match",
      "an attribute test does not hold",
      "more operands than in the pattern",
      "an operand is omitted",
      "no constant where one was expected",
      "a constant of another value",
      "another value than the one of this name",
      "an output is missing",
      "a further result is missing",
      "a value is used outside of the match",
      "a condition does not hold",
      "a path leaves the match and returns",
      "the search reached its limit",
  };
  static_assert(std::size(kTexts) == static_cast<size_t>(MatchFailure::Reason::Budget) + 1);
  return kTexts[static_cast<size_t>(reason)];
}

std::string describe(const ir::Module& module, const CompiledPattern& compiled, const MatchFailure& failure) {
  using Reason = MatchFailure::Reason;
  const ir::Pattern& pattern = *compiled.pattern;
  const std::string wanted =
      failure.patternNode == ir::kNoIndex ? std::string() : ir::describe(pattern.nodes[failure.patternNode].operators);
  const std::string value = describeValue(module, pattern, failure);
  const std::string producer = describeProducer(module, failure.value);
  const std::string op = failure.op == kNone ? std::string() : describeOperator(module, failure.op);
  switch (failure.reason) {
    case Reason::None:
      return "no pattern was tried";
    case Reason::NoProducer:
    case Reason::OtherOperator:
    case Reason::OtherOutput:
      return fmt::format("{} is {}; {} was expected", value, producer, wanted);
    case Reason::OtherGraph:
      return fmt::format("{} is {} in an enclosing graph", value, producer);
    case Reason::Repeated:
      return fmt::format("{} is {}, which is already in the match", value, producer);
    case Reason::Attribute:
      return fmt::format("{} ({}) fails the attribute test `{}`", op, module.text(module.ops[failure.op].type),
                         ir::printExpression(pattern.nodes[failure.patternNode].attributes[failure.index]));
    case Reason::OperandCount:
      return fmt::format("{} has {} operands; {} of the pattern has {}", op, module.ops[failure.op].inputs.size(),
                         wanted, pattern.nodes[failure.patternNode].operands.size());
    case Reason::Omitted:
      return fmt::format("{} is omitted", value);
    case Reason::NotConstant:
      return fmt::format("{} is {}; a constant was expected", value, producer);
    case Reason::ConstantValue:
      return fmt::format("{} is {}; its value should be `{}`", value, producer,
                         describeConstant(pattern.values[failure.patternValue].constant));
    case Reason::OtherValue:
      return fmt::format("{} is {}, but is already bound to another value", value, producer);
    case Reason::OutputMissing:
      return fmt::format("{} has no output {}", op, failure.index);
    case Reason::NoFurtherResult:
      return fmt::format("no user of the matched values can be result {}", value);
    case Reason::UsedOutside:
      return failure.op == kNone
                 ? fmt::format("value `{}` is an output of the graph", module.text(module.values[failure.value].name))
                 : fmt::format("value `{}` of {} is also used by {}", module.text(module.values[failure.value].name),
                               describeOperator(module, failure.user), op);
    case Reason::Condition:
      return fmt::format("`{}` does not hold", ir::printExpression(pattern.where[failure.index]));
    case Reason::NotConvex:
      return fmt::format("{} is outside of the match and leads back to {}", op, describeOperator(module, failure.user));
    case Reason::Budget:
      return "the search reached its limit";
  }
  return {};
}

}  // namespace amdahlc
