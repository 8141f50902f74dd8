/// The operator graph for binding: which operator waits for which, which are expected to launch, and the alternatives
/// that an event may be bound to. These are every candidate whose rule launches something, and every operator alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/fuse/cover_builder.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/program_order.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc::binding {

using AlternativeId = uint32_t;
inline constexpr AlternativeId kNoAlternative = 0xffffffffu;
inline constexpr ir::RuleId kNoRule;

/// A way to run some operators as one kernel.
struct Alternative {
  /// kNone for one operator without a rule.
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
  /// Some operator is a view that leaves memory strided; some operator reads the result of one.
  bool leavesStrided = false, readsStrided = false;
  /// Whether its operators are in one module.
  bool isInOneScope = true;
  /// Bare framework operators that its counted operators come from, distinct: `addmm`.
  std::vector<std::string> targets;
  /// Its rule names the framework operator that its anchor comes from.
  bool namesSource = false;
  /// Types of its counted operators, in the spelling for comparison: `layernormalization`.
  std::vector<std::string> typeNames;
  /// Dimensions of its constant operands, each sorted and without ones: of weights, and of those with one dimension.
  std::vector<std::vector<int64_t>> weights, vectors;
  /// Sorted dimensions other than 1 of its other operands, as far as they are static and those of a weight as well.
  std::vector<std::vector<int64_t>> likeWeights;
  /// Some operator multiplies by such weights and sums. Compilers call a library for that; all else they generate.
  bool multiplies = false;
  /// Numbers of elements of its other operands with static shapes, ascending.
  std::vector<int64_t> elementCounts;
};

/// Whether an operator is expected to launch something.
enum class Need : uint8_t {
  /// Nothing: a view, a constant, a rule without device work.
  None,
  /// Hardly: shape arithmetic, or a rule says that it may cost nothing.
  Unlikely,
  /// No rule knows.
  Unknown,
  /// A rule launches it.
  Ruled,
  /// The same, and no exporter invents it: it has weights, or it reduces or contracts its operands.
  Heavy,
};

class AlternativeGraph {
 public:
  /// Of one target.
  AlternativeGraph(const ir::Module& module, const ir::OperatorGraph& operators, TargetGrouping grouping);

  const ir::Module& module() const { return module_; }
  const ir::OperatorGraph& operators() const { return operators_; }
  /// What the target admits, and its kernels without a trace.
  const TargetGrouping& grouping() const { return grouping_; }
  bool admits(ir::CandidateId candidate) const { return grouping_.admitted[module_.candidates[candidate].rule]; }
  /// By rule: whether the target admits it and it has a candidate.
  IdVector<ir::RuleId, bool> activeRules() const;
  const std::vector<Alternative>& alternatives() const { return alternatives_; }
  /// Alternatives of a rule (`kNoRule`: operators alone), ascending.
  const std::vector<AlternativeId>& ofRule(ir::RuleId rule) const {
    return rule == kNoRule ? withoutRule_ : byRule_[rule];
  }
  /// Operators that must have run before `op`, in the main graph and in bodies. A body waits for what its operator
  /// waits for, and the operator waits for its body.
  std::span<const ir::OpId> waitsFor(ir::OpId op) const { return launches_.predecessors(op); }
  std::span<const ir::OpId> waiting(ir::OpId op) const { return launches_.successors(op); }
  const LaunchGraph& launches() const { return launches_; }
  Need need(ir::OpId op) const { return need_[op]; }
  /// A view, or a cast.
  bool onlyMovesData(ir::OpId op) const { return view_[op] || module_.text(module_.ops[op].type) == "Cast"; }
  bool isFree(ir::OpId op) const { return need_[op] == Need::None; }
  /// In a body of an `If`, at any level.
  bool inBranch(ir::OpId op) const { return inBranch_[op]; }

  const ProgramOrders& orders() const { return *orders_; }
  const OperatorPatterns& operatorPatterns() const { return operatorPatterns_; }

  /// Dimensions of the constant behind `value`, through operators that only move it; sorted. Empty where it is not
  /// constant or a scalar.
  std::vector<int64_t> constantDims(ir::ValueId value) const;

 private:
  void connect();
  void makeAlternatives();
  void describe(Alternative& alternative);
  bool isHeavy(ir::OpId op) const;
  void setNeeds();

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  TargetGrouping grouping_;
  OperatorPatterns operatorPatterns_;
  IdVector<ir::OpId, bool> inBranch_;
  LaunchGraph launches_;
  IdVector<ir::OpId, bool> view_;
  std::vector<Alternative> alternatives_;
  IdVector<ir::RuleId, std::vector<AlternativeId>> byRule_;
  std::vector<AlternativeId> withoutRule_;
  IdVector<ir::OpId, Need> need_;
  /// Set by the constructor, last.
  std::optional<ProgramOrders> orders_;
};

/// Tells the names of framework operators that active rules or operators of the graph use, and of those that an export
/// for inference lacks. All others may be wrappers around calls. Both must outlive the result.
std::function<bool(std::string_view)> knownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime);

}  // namespace amdahlc::binding
