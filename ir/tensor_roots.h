/// Which values are one tensor: what a view returns is its operand, and what goes into or out of a body is the operand
/// or the result of its operator.
#pragma once

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc::ir {

/// A forest over values. Every value leads to the one that names its tensor: an operand instead of its views, a value
/// of the outer graph instead of that of a body.
class TensorRoots {
 public:
  /// `renames` tells of each operator whether it only gives other names to what it reads.
  TensorRoots(const Module& module, const OperatorGraph& graph, const IdVector<OpId, bool>& renames);

  ValueId of(ValueId value) const { return parent_[value]; }

 private:
  void addView(OpId op);
  void addOperandsOfBodies(OpId op);
  void addResultsOfBodies(OpId op);
  /// The root so far. Shortens the way to it.
  ValueId find(ValueId value);

  const Module& module_;
  const OperatorGraph& graph_;
  IdVector<ValueId, ValueId> parent_;
};

}  // namespace amdahlc::ir
