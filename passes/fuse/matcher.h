/// Matches one pattern at one root operator by backtracking. Only reads the graph.
///
/// Objective: enumerate every distinct set of operators that matches the pattern with `root` as the producer of its
/// first result, each with the first assignment of module values to pattern values that was found. Two matches with the
/// same operators count once.
///
/// State: the value bound to each pattern value (`bound_`), the operator of each pattern node (`opOfNode_`), the
/// operators taken so far (`taken_`), and the goals left. A goal pairs a pattern value with a module value that must
/// match it. Goals are a linked list in an arena (`goals_`): alternatives share the tail of their lists.
///
/// Transitions for the first goal, then its tail:
///   - compare: a bound pattern value must be bound to this very module value;
///   - test: a constant must satisfy its test; `_` accepts any value;
///   - bind: a captured value is bound;
///   - define: the definitions of the pattern value are tried in order. A node takes the producer of the module value
///     if its operator and attributes fit. Its operands become goals in front of the tail, as written, and then swapped
///     if the operator commutes. A chain takes as many producers as possible and gives them back one at a time. An
///     alias becomes a goal for the other pattern value.
/// Without a goal left, further results of the pattern are searched among the uses of bound values. Then the match as a
/// whole is checked: only results leave it, its conditions hold, and no path leaves it and returns
/// (match_completion.cpp).
///
/// Invariants: each transition restores bindings, taken operators and goals before it returns. An operator is taken at
/// most once. All taken operators are in the graph of the root. The order of enumeration depends on the pattern and on
/// the order of operands and uses only.
///
/// Cost: linear in the pattern for a root where each goal has one choice, plus the operators between the first and the
/// last of a match to check paths. Ambiguous patterns are exponential at worst. Three limits stop them: `stepsPerRoot`,
/// `matchesPerRoot`, and the depth of recursion. `match` returns false if a limit was hit.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/expression/leaves.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/match_failure.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

using expression::kUnboundValue;

struct MatchLimits {
  /// Matches of one alternative at one root.
  uint32_t matchesPerRoot = 64;
  /// Steps of one alternative at one root.
  uint32_t stepsPerRoot = 20000;
};

class Matcher {
 public:
  Matcher(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index, MatchLimits limits);

  /// Appends every distinct match of `pattern` rooted at `root`, in the order of discovery: longer chains before
  /// shorter, operands as written before swapped. The component stays 0. False if a limit was hit and matches may be
  /// missing.
  bool match(ir::OpId root, const CompiledPattern& pattern, std::vector<ir::Candidate>& matches);

  /// Keeps the deepest failure of each call; costs time.
  void recordFailures(bool record) { record_ = record; }
  /// The failure of the last call if it gave no match; only with `recordFailures`.
  const MatchFailure& failure() const { return failure_; }

  /// Calls of `match`.
  int64_t attempts() const { return attempts_; }
  /// Steps of all calls.
  int64_t steps() const { return steps_; }

 private:
  /// A pattern value and the module value that must match it.
  struct Goal {
    /// Of the pattern.
    uint32_t value;
    /// Of the module.
    ir::ValueId actual;
    /// The operator that has `actual` as operand.
    ir::OpId user;
    uint32_t next;
  };
  static constexpr uint32_t kEnd = 0xffffffffu;

  // Each returns true to stop the enumeration, false to look for more.
  bool solve(uint32_t goal);
  bool solveDefined(const Goal& goal);
  /// With the value of the goal bound: the rest of the goals, or before them the same for another value of the pattern.
  bool solveBound(const Goal& goal);
  bool solveAs(uint32_t other, const Goal& goal);
  bool solveNode(const Goal& goal, const ir::PatternValue::Definition& definition);
  bool solveChain(const Goal& goal, uint32_t node, uint32_t output);
  bool solveOperands(const Goal& goal, uint32_t node, ir::OpId resultOp, ir::OpId operandOp);
  bool solveFurtherResults();
  bool complete();

  bool mayMatch(ir::OpId root, const CompiledPattern& pattern) const;
  bool satisfiesConstant(const Goal& goal);
  bool accepts(uint32_t node, ir::OpId op, const Goal& goal);
  bool hasAttributes(uint32_t node, ir::OpId op);
  bool bindOutputs(uint32_t node, ir::OpId op);
  ir::ValueId dataOperand(ir::OpId op) const;
  void collectUpwards(uint32_t value, std::vector<ir::ValueId>& found, unsigned depth);
  bool reachesBound(uint32_t value, unsigned depth);
  bool onlyResultsAreLiveOut();
  bool isConvex();
  void record();

  uint32_t push(uint32_t value, ir::ValueId actual, ir::OpId user, uint32_t next) {
    goals_.push_back({value, actual, user, next});
    return static_cast<uint32_t>(goals_.size() - 1);
  }
  void bind(uint32_t value, ir::ValueId actual) {
    bound_[value] = actual;
    boundOrder_.push_back(value);
  }
  void unbindTo(size_t count) {
    for (; boundOrder_.size() > count; boundOrder_.pop_back()) bound_[boundOrder_.back()] = kUnboundValue;
  }
  void take(ir::OpId op, uint32_t node) {
    nodeOfOp_[op] = node;
    taken_.push_back(op);
  }
  void releaseTo(size_t count) {
    for (; taken_.size() > count; taken_.pop_back()) nodeOfOp_[taken_.back()] = ir::kNoIndex;
  }
  bool spend();
  bool isOutput(ir::OpId op, uint32_t output, ir::ValueId value) const {
    const auto outputs = graph_.outputs(op);
    return output < outputs.size() && outputs[output] == value;
  }
  bool isTaken(ir::OpId op) const { return nodeOfOp_[op] != ir::kNoIndex; }
  expression::MatchLeaves scope(ir::OpId op = ir::kNone) { return {module_, graph_, defaults_, bound_, op}; }
  bool fail(MatchFailure::Reason reason, const Goal& goal, uint32_t node = ir::kNoIndex, ir::OpId op = ir::kNone,
            uint32_t index = 0);

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const RuleIndex& index_;
  MatchLimits limits_;
  expression::SchemaDefaults defaults_;

  // The match under construction.
  const CompiledPattern* compiled_ = nullptr;
  const ir::Pattern* pattern_ = nullptr;
  ir::OpId root_;
  std::vector<ir::Candidate>* matches_ = nullptr;
  /// Index in `matches_` of the first match at this root.
  size_t firstMatch_ = 0;
  /// By pattern value.
  std::vector<ir::ValueId> bound_;
  std::vector<uint32_t> boundOrder_;
  /// By pattern node: its operator; of a chain, the one that produces the result.
  std::vector<ir::OpId> opOfNode_;
  /// By operator: its pattern node; kNoIndex outside the match.
  IdVector<ir::OpId, uint32_t> nodeOfOp_;
  /// Operators of the match, in the order of matching.
  std::vector<ir::OpId> taken_;
  std::vector<Goal> goals_;
  std::vector<ir::OpId> chain_;
  std::vector<ir::OpId> sorted_;
  /// Live-out values of the match.
  std::vector<ir::ValueId> results_;
  /// By operator: the number of the last search that visited it.
  IdVector<ir::OpId, uint32_t> visited_;
  std::vector<ir::OpId> pending_;
  uint32_t search_ = 0;
  uint32_t depth_ = 0;
  uint32_t stepsLeft_ = 0;
  bool truncated_ = false;

  bool record_ = false;
  MatchFailure failure_;
  int64_t attempts_ = 0;
  int64_t steps_ = 0;
};

}  // namespace amdahlc
