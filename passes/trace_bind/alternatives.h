/// The operator graph as binding searches it: who waits for whom, what a skipped operator costs, and the alternatives
/// that an event may be bound to:
/// every candidate of the rules that launches something, and every operator alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc::binding {

using AlternativeId = uint32_t;
inline constexpr AlternativeId kNoAlternative = 0xffffffffu;
inline constexpr ir::RuleId kNoRule;

/// A way to run some operators as one kernel.
struct Alternative {
  /// kNone: one operator, by no rule.
  ir::CandidateId candidate;
  ir::RuleId rule = kNoRule;
  /// Ascending.
  std::vector<ir::OpId> ops;
  ir::OpId anchor;
  /// A kernel of the default cover.
  bool inDefault = false;
  bool recompute = false;
  /// Nothing but views: runs only where a copy is needed.
  bool optional = false;
  /// Computes on a few integers: shape arithmetic, which runs on the host if at all.
  bool unlikely = false;
  /// Distinct scopes of its operators, the anchor's first.
  std::vector<ir::ScopeId> scopes;
  /// Bare framework operators that its counted operators come from, distinct: `addmm`.
  std::vector<std::string> targets;
  /// How many of the operators that those calls were exported to are in the alternative: calls that it covers whole, or
  /// parts of one.
  uint32_t callShareCovered = 0, callShareTotal = 0;
  bool coversCalls() const { return callShareCovered == callShareTotal; }
  /// Spelling of its counted operators' types for comparison: `layernormalization`.
  std::vector<std::string> typeNames;
  /// Dimensions of its constant operands, sorted within each: two dimensions and more, and of one dimension.
  std::vector<std::vector<int64_t>> weights, vectors;
  /// Of its other operands, where static; ascending.
  std::vector<int64_t> elementCounts;
};

/// In which order operators of equal right are expected to launch.
enum class OrderKind : uint8_t {
  /// The model's own: the program's order where an exporter wrote it and nobody moved a node.
  Model,
  /// Depth first along operands from the results: the order in which an expression is evaluated; depends on no node
  /// order.
  Operands,
};

class AlternativeGraph {
 public:
  AlternativeGraph(const ir::Module& module, const ir::OperatorGraph& operators, const ir::Cover& defaultCover);

  const ir::Module& module() const { return module_; }
  const std::vector<Alternative>& alternatives() const { return alternatives_; }
  /// Alternatives of a rule (`kNoRule`: operators alone), ascending.
  const std::vector<AlternativeId>& ofRule(ir::RuleId rule) const {
    return rule == kNoRule ? withoutRule_ : byRule_[rule];
  }
  /// Alternatives that hold the operator, ascending.
  const std::vector<AlternativeId>& holding(ir::OpId op) const { return holding_[op]; }
  /// Operators that must have run before `op`, main graph and bodies alike: a body waits for what its operator waits
  /// for, and the operator for its body.
  std::span<const ir::OpId> waitsFor(ir::OpId op) const {
    return {preds_.data() + predFirst_[op.index()], preds_.data() + predFirst_[op.index() + 1]};
  }
  std::span<const ir::OpId> waiting(ir::OpId op) const {
    return {succs_.data() + succFirst_[op.index()], succs_.data() + succFirst_[op.index() + 1]};
  }
  /// What leaving `op` without an event costs; 0 for operators that launch nothing.
  int32_t skipCost(ir::OpId op) const { return skipCost_[op]; }
  /// Costs nothing on the device by every rule, or is no operator of the graph any more.
  bool isFree(ir::OpId op) const { return skipCost_[op] == 0; }
  /// Innermost `Loop` or `Scan` whose body holds the operator; kNone outside.
  ir::OpId loopOf(ir::OpId op) const { return loopOf_[op]; }
  /// Operators in the bodies of a control-flow operator, all levels.
  const std::vector<ir::OpId>& bodyOf(ir::OpId op) const { return bodies_[op]; }

  /// Rank of each operator in an order that the graph allows.
  const IdVector<ir::OpId, uint32_t>& rank(OrderKind kind) const { return ranks_[static_cast<size_t>(kind)]; }
  /// The order to expect first: the model's, unless running numbers in its names say that nodes were moved since it was
  /// exported.
  OrderKind likelyOrder() const;

  /// Dimensions of the constant behind `value`, through operators that only move it; sorted. Empty where it is not
  /// constant or a scalar.
  std::vector<int64_t> constantDims(ir::ValueId value) const;
  bool isConstant(ir::ValueId value) const { return constant_[value]; }

 private:
  void findConstants();
  void findBodies();
  void connect();
  void makeAlternatives(const ir::Cover& defaultCover);
  void describe(Alternative& alternative);
  void countCalls();
  void setSkipCosts();
  void orderByOperands();

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  /// Known before the run.
  IdVector<ir::ValueId, bool> constant_;
  /// Computed from shapes and constants alone.
  IdVector<ir::ValueId, bool> ofShapes_;
  IdVector<ir::OpId, ir::OpId> loopOf_;
  IdVector<ir::OpId, bool> inBranch_;
  IdVector<ir::OpId, std::vector<ir::OpId>> bodies_;
  std::vector<uint32_t> predFirst_, succFirst_;
  std::vector<ir::OpId> preds_, succs_;
  IdVector<ir::OpId, bool> view_;
  /// Counted operators of its framework call, 0 where that is unknown.
  IdVector<ir::OpId, uint32_t> callSize_;
  std::vector<Alternative> alternatives_;
  IdVector<ir::RuleId, std::vector<AlternativeId>> byRule_;
  std::vector<AlternativeId> withoutRule_;
  IdVector<ir::OpId, std::vector<AlternativeId>> holding_;
  IdVector<ir::OpId, int32_t> skipCost_;
  IdVector<ir::OpId, uint32_t> ranks_[2];
};

}  // namespace amdahlc::binding
