/// Matches patterns against the operator graph by backtracking. Changes nothing.
///
/// A match grows from its root towards its operands; further results of a pattern are then found through the uses of
/// values that are already bound. All distinct matches of a root are enumerated, within bounds that hostile patterns
/// cannot exceed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/match_failure.h"
#include "passes/fuse/match_scope.h"
#include "passes/fuse/rule_index.h"

namespace amdahlc {

struct MatchLimits {
  /// Of one alternative at one root.
  uint32_t matchesPerRoot = 64;
  /// Tests of one alternative at one root.
  uint32_t stepsPerRoot = 20000;
};

class Matcher {
 public:
  Matcher(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index, MatchLimits limits);

  /// Appends every distinct match of `pattern` rooted at `root`, in the order of discovery: longer chains before
  /// shorter, operands as written before swapped. The component is left 0. False where a bound cut the enumeration
  /// short.
  bool match(ir::OpId root, const CompiledPattern& pattern, std::vector<ir::Candidate>& matches);

  /// Keeps the deepest failure of each call; costs time.
  void recordFailures(bool record) { record_ = record; }
  /// Of the last call, where it gave no match; only with `recordFailures`.
  const MatchFailure& failure() const { return failure_; }

  /// Calls of `match`.
  int64_t attempts() const { return attempts_; }
  /// Values tested in all of them.
  int64_t steps() const { return steps_; }

 private:
  /// One value still to be matched; goals form lists that share their tails.
  struct Goal {
    /// Of the pattern.
    uint32_t value;
    /// Of the module.
    ir::ValueId actual;
    /// Whose operand it is.
    ir::OpId user;
    uint32_t next;
  };
  static constexpr uint32_t kEnd = 0xffffffffu;

  // Each returns true to stop the enumeration, false to look for more.
  bool solve(uint32_t goal);
  bool solveDefined(const Goal& goal);
  bool solveNode(const Goal& goal, const ir::PatternValue::Definition& definition);
  bool solveChain(const Goal& goal, uint32_t node, uint32_t output);
  bool solveOperands(const Goal& goal, uint32_t node, ir::OpId outermost, ir::OpId innermost);
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
  bool isTaken(ir::OpId op) const { return nodeOfOp_[op] != ir::kNoIndex; }
  MatchScope scope(ir::OpId op = ir::kNone) { return {module_, graph_, defaults_, bound_, op}; }
  bool fail(MatchFailure::Reason reason, const Goal& goal, uint32_t node = ir::kNoIndex, ir::OpId op = ir::kNone,
            uint32_t index = 0);

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const RuleIndex& index_;
  MatchLimits limits_;
  SchemaDefaults defaults_;

  // The match under construction.
  const CompiledPattern* compiled_ = nullptr;
  const ir::Pattern* pattern_ = nullptr;
  ir::OpId root_;
  std::vector<ir::Candidate>* matches_ = nullptr;
  /// In matches_, of this root.
  size_t firstMatch_ = 0;
  /// By pattern value.
  std::vector<ir::ValueId> bound_;
  std::vector<uint32_t> boundOrder_;
  /// By pattern node: the outermost operator.
  std::vector<ir::OpId> opOfNode_;
  /// kNoIndex outside the match.
  IdVector<ir::OpId, uint32_t> nodeOfOp_;
  /// Operators of the match, in the order of matching.
  std::vector<ir::OpId> taken_;
  std::vector<Goal> goals_;
  std::vector<ir::OpId> chain_;
  std::vector<ir::OpId> sorted_;
  /// Of the match: what it hands on.
  std::vector<ir::ValueId> results_;
  /// Number of the search that met it.
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
