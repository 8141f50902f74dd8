#include "passes/fuse/matcher.h"

#include <algorithm>
#include <cmath>

#include "ir/known_values.h"
#include "support/limits.h"

namespace amdahlc {

using ir::kNone;
using ir::OpId;
using ir::PatternNode;
using ir::PatternValue;
using ir::ValueId;
using Reason = MatchFailure::Reason;

namespace {

/// Whether every element equals `expected` within 1e-3 relative; false for unknown data.
bool constantEquals(const ir::ConstantView& constant, double expected) {
  // An exporter that prints sqrt(2) in float16 is off by 3e-4.
  constexpr double kTolerance = 1e-3;
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    const double element = constant.element(i);
    if (element != expected &&
        !(std::isfinite(expected) && std::abs(element - expected) <= kTolerance * std::abs(expected)))
      return false;
  }
  return constant.knownElements() > 0;
}

/// Whether `test` accepts `constant`, which is `value` in the module. A test of elements must accept each known
/// element, and at least one must be known.
bool constantSatisfies(const expression::Expression& test, const ir::ConstantView& constant, ir::ValueId value,
                       expression::MatchLeaves scope) {
  scope.testedConstant = value;
  if (!test.testsElements()) return test.holds(scope.leaves());
  for (size_t i = 0; i < constant.knownElements(); ++i) {
    scope.testedElement = constant.element(i);
    if (!test.holds(scope.leaves())) return false;
  }
  return constant.knownElements() > 0;
}

}  // namespace

Matcher::Matcher(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index, MatchLimits limits)
    : module_(module), graph_(graph), index_(index), limits_(limits), defaults_(module) {
  nodeOfOp_.assign(graph.size(), ir::kNoIndex);
  visited_.assign(graph.size(), 0);
}

bool Matcher::match(OpId root, const CompiledPattern& pattern, std::vector<ir::Candidate>& matches) {
  ++attempts_;
  // Most attempts end here. To record a failure, the pattern must be matched in full.
  if (!record_ && !mayMatch(root, pattern)) return true;
  compiled_ = &pattern;
  pattern_ = pattern.pattern;
  root_ = root;
  matches_ = &matches;
  firstMatch_ = matches.size();
  bound_.assign(pattern_->values.size(), kUnboundValue);
  opOfNode_.assign(pattern_->nodes.size(), kNone);
  stepsLeft_ = limits_.stepsPerRoot;
  truncated_ = false;
  depth_ = 0;
  if (record_) {
    failure_ = {};
    failure_.root = root;
  }
  const auto outputs = graph_.outputs(root);
  for (const uint32_t output : pattern.rootOutputs) {
    if (output >= outputs.size() || outputs[output] == kNone) continue;
    goals_.clear();
    const bool stop = solve(push(pattern_->results.front(), outputs[output], kNone, kEnd));
    unbindTo(0);
    releaseTo(0);
    if (stop) break;
  }
  steps_ += limits_.stepsPerRoot - stepsLeft_;
  return !truncated_;
}

bool Matcher::mayMatch(OpId root, const CompiledPattern& pattern) const {
  const auto inputs = graph_.inputs(root);
  const auto isProducedBy = [&](size_t operand, const ClassSet& producers) {
    const OpId producer = operand < inputs.size() ? graph_.producer(inputs[operand]) : OpId(kNone);
    return producer != kNone && producers.contains(index_.classOf(producer));
  };
  for (const RequiredProducer& required : pattern.requiredProducers) {
    if (!isProducedBy(required.operand, required.producers) &&
        !(required.eitherOrder && isProducedBy(1 - required.operand, required.producers)))
      return false;
  }
  return true;
}

bool Matcher::spend() {
  if (stepsLeft_ == 0 || depth_ >= limits::kMatchDepth) {
    truncated_ = true;
    return false;
  }
  --stepsLeft_;
  return true;
}

bool Matcher::fail(Reason reason, const Goal& goal, uint32_t node, OpId op, uint32_t index) {
  if (!record_) return false;
  if (failure_.reason != Reason::None && taken_.size() <= failure_.matched.size()) return false;
  failure_ = {reason, root_, goal.value, node, goal.actual, goal.user, op, index, taken_};
  return false;
}

bool Matcher::solve(uint32_t goalIndex) {
  if (goalIndex == kEnd) return solveFurtherResults();
  const Goal goal = goals_[goalIndex];
  if (!spend()) return true;
  struct Level {
    explicit Level(uint32_t& depth) : depth(depth) { ++depth; }
    ~Level() { --depth; }
    uint32_t& depth;
  } level(depth_);

  const PatternValue& value = pattern_->values[goal.value];
  if (value.kind == PatternValue::Kind::Any) {
    return goal.actual == kNone && !value.optional ? fail(Reason::Omitted, goal) : solve(goal.next);
  }
  if (const ValueId bound = bound_[goal.value]; bound != kUnboundValue) {
    return bound == goal.actual ? solve(goal.next) : fail(Reason::OtherValue, goal);
  }
  if (value.kind == PatternValue::Kind::Defined) return solveDefined(goal);
  if (goal.actual == kNone && !value.optional) return fail(Reason::Omitted, goal);
  if (value.kind == PatternValue::Kind::Constant && goal.actual != kNone && !satisfiesConstant(goal)) return false;

  return solveBound(goal);
}

bool Matcher::solveBound(const Goal& goal) {
  const size_t boundBefore = boundOrder_.size();
  bind(goal.value, goal.actual);
  const bool stop = solve(goal.next);
  unbindTo(boundBefore);
  return stop;
}

bool Matcher::solveAs(uint32_t other, const Goal& goal) {
  const size_t boundBefore = boundOrder_.size();
  const size_t goalsBefore = goals_.size();
  bind(goal.value, goal.actual);
  const bool stop = solve(push(other, goal.actual, goal.user, goal.next));
  goals_.resize(goalsBefore);
  unbindTo(boundBefore);
  return stop;
}

bool Matcher::satisfiesConstant(const Goal& goal) {
  if (!graph_.isConstant(goal.actual))
    return fail(Reason::NotConstant, goal, ir::kNoIndex, graph_.producer(goal.actual));
  const ir::ConstantTest& test = pattern_->values[goal.value].constant;
  if (!test.equals && !test.test) return true;
  const ir::ConstantView constant = ir::constantOf(module_, goal.actual);
  if (test.equals && !constantEquals(constant, *test.equals)) return fail(Reason::ConstantValue, goal);
  const auto& compiled = compiled_->constantTests[goal.value];
  return !compiled || constantSatisfies(*compiled, constant, goal.actual, scope()) || fail(Reason::ConstantValue, goal);
}

bool Matcher::solveDefined(const Goal& goal) {
  const auto& definitions = pattern_->values[goal.value].definitions;
  return std::any_of(definitions.begin(), definitions.end(), [&](const PatternValue::Definition& definition) {
    return definition.alias ? solveAs(definition.index, goal) : solveNode(goal, definition);
  });
}

bool Matcher::accepts(uint32_t node, OpId op, const Goal& goal) {
  if (op == kNone) return fail(Reason::NoProducer, goal, node);
  if (!compiled_->nodes[node].operators.contains(index_.classOf(op)))
    return fail(Reason::OtherOperator, goal, node, op);
  if (graph_.graph(op) != graph_.graph(root_)) return fail(Reason::OtherGraph, goal, node, op);
  if (isTaken(op)) return fail(Reason::Repeated, goal, node, op);
  return hasAttributes(node, op);
}

bool Matcher::hasAttributes(uint32_t node, OpId op) {
  const auto& tests = compiled_->nodes[node].attributes;
  for (uint32_t i = 0; i < tests.size(); ++i) {
    if (!tests[i].holds(scope(op).leaves()))
      return fail(Reason::Attribute, {ir::kNoIndex, kNone, kNone, kEnd}, node, op, i);
  }
  return true;
}

bool Matcher::solveNode(const Goal& goal, const PatternValue::Definition& definition) {
  const uint32_t node = definition.index;
  const OpId op = graph_.producer(goal.actual);
  if (opOfNode_[node] != kNone) {
    // The node is already matched; this is another output of its operator.
    if (opOfNode_[node] != op) return fail(Reason::OtherOperator, goal, node, op);
    return isOutput(op, definition.output, goal.actual) ? solveBound(goal) : fail(Reason::OtherOutput, goal, node, op);
  }
  if (compiled_->nodes[node].chain) return solveChain(goal, node, definition.output);
  if (!accepts(node, op, goal)) return false;
  if (!isOutput(op, definition.output, goal.actual)) return fail(Reason::OtherOutput, goal, node, op);
  const size_t takenBefore = taken_.size();
  take(op, node);
  const bool stop = solveOperands(goal, node, op, op);
  releaseTo(takenBefore);
  return stop;
}

ValueId Matcher::dataOperand(OpId op) const {
  const auto inputs = graph_.inputs(op);
  for (const ValueId input : inputs) {
    if (input != kNone && !graph_.isConstant(input)) return input;
  }
  return inputs.empty() ? ValueId(kNone) : inputs.front();
}

bool Matcher::solveChain(const Goal& goal, uint32_t node, uint32_t output) {
  const PatternNode& source = pattern_->nodes[node];
  const uint32_t longest = source.max == 0 ? ir::kNoIndex : source.max;
  const size_t base = chain_.size();
  const size_t takenBefore = taken_.size();
  ValueId value = goal.actual;
  while (chain_.size() - base < longest) {
    if (chain_.size() - base == limits::kChainOperators) {
      truncated_ = true;
      break;
    }
    const OpId op = graph_.producer(value);
    if (!accepts(node, op, goal) || !isOutput(op, chain_.size() == base ? output : 0, value) || !spend()) break;
    chain_.push_back(op);
    take(op, node);  // so that the chain does not take it again
    value = source.view ? dataOperand(op) : graph_.inputs(op).empty() ? ValueId(kNone) : graph_.inputs(op).front();
  }
  const size_t length = chain_.size() - base;
  bool stop = false;
  for (size_t count = length; !stop && count > 0 && count >= source.min; --count) {
    releaseTo(takenBefore);
    for (size_t i = 0; i < count; ++i) take(chain_[base + i], node);
    stop = solveOperands(goal, node, chain_[base], chain_[base + count - 1]);
  }
  releaseTo(takenBefore);
  chain_.resize(base);
  if (stop || source.min > 0) return stop;

  // A chain without operators: the value itself must match the operand of the chain.
  return solveAs(source.operands.front(), goal);
}

bool Matcher::bindOutputs(uint32_t node, OpId op) {
  const auto actual = graph_.outputs(op);
  const auto& named = pattern_->nodes[node].outputs;
  for (uint32_t output = 0; output < named.size(); ++output) {
    if (named[output] == PatternNode::kNoValue) continue;
    const ValueId value = output < actual.size() ? actual[output] : ValueId(kNone);
    const ValueId bound = bound_[named[output]];
    const Goal goal{named[output], value, op, kEnd};
    if (bound == kUnboundValue) {
      if (value == kNone && !pattern_->values[named[output]].optional)
        return fail(Reason::OutputMissing, goal, node, op, output);
      bind(named[output], value);
    } else if (bound != value) {
      return fail(Reason::OtherValue, goal, node, op);
    }
  }
  return true;
}

bool Matcher::solveOperands(const Goal& goal, uint32_t node, OpId resultOp, OpId operandOp) {
  const PatternNode& source = pattern_->nodes[node];
  const auto inputs = graph_.inputs(operandOp);
  const auto& operands = source.operands;
  if (!source.moreOperands) {
    for (size_t i = operands.size(); i < inputs.size(); ++i) {
      if (inputs[i] != kNone)
        return fail(Reason::OperandCount, {goal.value, inputs[i], operandOp, kEnd}, node, operandOp);
    }
  }
  const size_t boundBefore = boundOrder_.size();
  bind(goal.value, goal.actual);
  opOfNode_[node] = resultOp;
  bool stop = false;
  if (bindOutputs(node, resultOp)) {
    const auto attempt = [&](bool swapped) {
      const size_t goalsBefore = goals_.size();
      uint32_t next = goal.next;
      for (size_t i = operands.size(); i-- > 0;) {
        const size_t at = swapped && i < 2 ? 1 - i : i;
        next = push(operands[i], at < inputs.size() ? inputs[at] : kNone, operandOp, next);
      }
      const bool stopped = solve(next);
      goals_.resize(goalsBefore);
      return stopped;
    };
    stop = attempt(false);
    if (!stop && compiled_->nodes[node].bothOrders && inputs.size() >= 2 && inputs[0] != inputs[1])
      stop = attempt(true);
  }
  opOfNode_[node] = kNone;
  unbindTo(boundBefore);
  return stop;
}

}  // namespace amdahlc
