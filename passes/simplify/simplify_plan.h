/// The plan of `simplify`: which operators to remove. It is complete before the module changes.
#pragma once

#include <cstdint>

#include "ir/known_values.h"
#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc::simplify {

/// Why an operator is removed; `Kept` for those that stay and for those that an earlier run removed.
enum class Reason : uint8_t { Kept, Constant, ShapeArithmetic, Identity, Cast, Transpose, Dropout, Hidden, Dead };

/// An analysis of the module, linear in its size. It does not change the module.
class SimplifyPlan {
 public:
  SimplifyPlan(const ir::Module& module, const ir::OperatorGraph& graph);

  Reason reason(ir::OpId op) const { return reasons_[op]; }
  /// The operator that absorbs `op`; kNone if `op` is folded or kept.
  ir::OpId absorber(ir::OpId op) const { return absorbers_[op]; }
  /// The value that replaces `value`; `value` itself if it stays.
  ir::ValueId replacement(ir::ValueId value) const { return forward_[value]; }
  /// Whether the results of a folded operator become constants.
  bool makesConstants(ir::OpId op) const;
  const ir::HostValues& hostValues() const { return host_; }

 private:
  void decideInOrder();
  Reason decide(ir::OpId id);
  void hide(const ir::Op& op);
  Reason passThrough(ir::OpId id, uint32_t operand, Reason reason);
  bool isHidden(const ir::Op& op) const;
  bool isNoOpCast(const ir::Op& op) const;
  bool isNoOpTranspose(ir::OpId id);
  bool isInferenceDropout(const ir::Op& op) const;
  ir::HostUse hostUse(const ir::Op& op) const;
  void foldShapeOnlyValues();
  void findDead();
  void findAbsorbers();

  const ir::Module& module_;
  ir::HostValues host_;
  const ir::OperatorGraph& graph_;
  IdVector<ir::OpId, Reason> reasons_;
  IdVector<ir::OpId, ir::OpId> absorbers_;
  IdVector<ir::ValueId, ir::ValueId> forward_;
  /// Transposes that a later one reverses.
  IdVector<ir::OpId, bool> undone_;
};

}  // namespace amdahlc::simplify
