/// Which values are one tensor: what a view returns is its operand, and what goes into or out of a body is the operand
/// or the result of its operator.
#pragma once

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "support/disjoint_sets.h"

namespace amdahlc::ir {

/// Kernels without events whose rule says that they launch nothing, whose state in the run says so, or that have only
/// operators which the rules declare as views on the target of the run. They only give other names to what they read.
IdVector<KernelId, bool> renamingKernels(const Module& module, const Cover& cover);

/// Operators all of whose kernels only rename, and those in no kernel.
IdVector<OpId, bool> renamingOperators(const OperatorGraph& graph, const KernelHolders& holders,
                                       const IdVector<KernelId, bool>& kernels);

/// Sets of values. The one that names a tensor is an operand instead of its views, and a value of the outer graph
/// instead of that of a body.
class TensorRoots {
 public:
  /// `renames` tells of each operator whether it only gives other names to what it reads.
  TensorRoots(const Module& module, const OperatorGraph& graph, const IdVector<OpId, bool>& renames);

  ValueId of(ValueId value) const { return root_[value]; }

 private:
  void addView(OpId op);
  void addOperandsOfBodies(OpId op);
  void addResultsOfBodies(OpId op);
  ValueId find(ValueId value) { return ValueId(tensors_.find(value.index())); }
  void join(ValueId value, ValueId tensor) { tensors_.uniteInto(value.index(), tensor.index()); }

  const Module& module_;
  const OperatorGraph& graph_;
  DisjointSets tensors_;
  IdVector<ValueId, ValueId> root_;
};

}  // namespace amdahlc::ir
