/// Which values are one tensor: what a view returns is its operand, and what goes into or out of a body is the operand
/// or the result of its operator.
#pragma once

#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// A forest over values. Every value leads to the one that names its tensor: an operand instead of its views, a value
/// of the outer graph instead of that of a body.
class TensorRoots {
 public:
  /// `renames` tells of each operator whether it only gives other names to what it reads.
  TensorRoots(const ir::Module& module, const ir::OperatorGraph& graph, const IdVector<ir::OpId, bool>& renames);

  ir::ValueId of(ir::ValueId value) const { return parent_[value]; }

 private:
  void addView(ir::OpId op);
  void addOperandsOfBodies(ir::OpId op);
  void addResultsOfBodies(ir::OpId op);
  /// The root so far. Shortens the way to it.
  ir::ValueId find(ir::ValueId value);

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  IdVector<ir::ValueId, ir::ValueId> parent_;
};

}  // namespace amdahlc
