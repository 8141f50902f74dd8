/// What each kernel of a cover reads and writes.
#pragma once

#include <utility>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "ir/operator_graph.h"
#include "support/compressed_rows.h"

namespace amdahlc::ir {

/// A kernel reads what its operators read and none of them makes, and writes what they make for others: for another
/// kernel, for a body, or as a result of a graph; also what nothing reads. An operator with bodies also reads what they
/// read from outside.
class KernelAccesses {
 public:
  KernelAccesses(const Module& module, const OperatorGraph& graph, const Cover& cover);

  const KernelHolders& holders() const { return holders_; }
  /// In the order of the kernel's operators, possibly repeated.
  std::vector<ValueId> reads(const Kernel& kernel) const;
  std::vector<ValueId> writes(const Kernel& kernel) const;

 private:
  const OperatorGraph& graph_;
  KernelHolders holders_;
  /// What the bodies of an operator read from outside of it.
  CompressedRows<OpId, ValueId> captured_;
};

}  // namespace amdahlc::ir
