#include "passes/fuse/match_failure.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/text.h"
#include "ir/text/rule_words.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

using ir::kNone;

namespace {

struct Texts {
  std::string_view cause, clause;
};
constexpr Texts kTexts[] = {
#define AMDAHLC_MATCH_FAILURE(REASON, CAUSE, CLAUSE) {CAUSE, CLAUSE},
#include "passes/fuse/match_failures.def"
};

std::string describeOperator(const ir::Module& module, ir::OpId op) {
  return op == kNone ? std::string() : fmt::format("`{}`", module.displayName(op));
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
  if (actual.kind == ir::Value::Kind::Input) return fmt::format("graph input `{}`", name);
  if (actual.kind == ir::Value::Kind::Constant) return fmt::format("constant `{}`", name);
  if (!module.ops.contains(actual.producer)) return fmt::format("value `{}`", name);
  return fmt::format("produced by {} ({})", describeOperator(module, actual.producer),
                     module.text(module.ops[actual.producer].type));
}

}  // namespace

std::string_view describe(MatchFailure::Reason reason) { return kTexts[static_cast<size_t>(reason)].cause; }

std::string describe(const ir::Module& module, const CompiledPattern& compiled, const MatchFailure& failure) {
  const ir::Pattern& pattern = *compiled.pattern;
  const auto expression = [&](const std::vector<ir::Expr>& list) {
    return failure.index < list.size() ? ir::printExpression(list[failure.index]) : std::string();
  };
  const bool hasNode = failure.patternNode != ir::kNoIndex;
  static const ir::PatternNode kNoNode;
  const ir::PatternNode& node = hasNode ? pattern.nodes[failure.patternNode] : kNoNode;
  const ir::Op* op = failure.op == kNone ? nullptr : &module.ops[failure.op];
  using fmt::arg;
  return fmt::format(
      fmt::runtime(kTexts[static_cast<size_t>(failure.reason)].clause),
      arg("value", describeValue(module, pattern, failure)), arg("producer", describeProducer(module, failure.value)),
      arg("wanted", hasNode ? ir::describe(node.operators) : std::string()),
      arg("op", describeOperator(module, failure.op)),
      arg("type", op == nullptr ? std::string_view() : module.text(op->type)),
      arg("given", op == nullptr ? 0 : op->inputs.size()), arg("taken", node.operands.size()),
      arg("user", describeOperator(module, failure.user)), arg("index", failure.index),
      arg("name", failure.value == kNone ? std::string_view() : module.text(module.values[failure.value].name)),
      arg("test", expression(node.attributes)), arg("condition", expression(pattern.where)),
      arg("constant", failure.patternValue == ir::kNoIndex
                          ? std::string()
                          : describeConstant(pattern.values[failure.patternValue].constant)));
}

}  // namespace amdahlc
