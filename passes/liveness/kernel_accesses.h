/// What each kernel of a cover reads and writes.
#pragma once

#include <utility>
#include <vector>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "support/compressed_rows.h"

namespace amdahlc {

/// A kernel reads what its operators read and none of them makes, and writes what they make for others: for another
/// kernel, for a body, or as a result of a graph; also what nothing reads. An operator with bodies also reads what they
/// read from outside.
class KernelAccesses {
 public:
  KernelAccesses(const ir::Module& module, const ir::OperatorGraph& graph, const ir::Cover& cover);

  /// Kernels that hold the operator, ascending: several where rules recompute it.
  std::span<const ir::KernelId> holders(ir::OpId op) const { return holders_[op]; }
  /// In the order of the kernel's operators, possibly repeated.
  std::vector<ir::ValueId> reads(const ir::Kernel& kernel) const;
  std::vector<ir::ValueId> writes(const ir::Kernel& kernel) const;

 private:
  bool holds(const ir::Kernel& kernel, ir::OpId op) const;
  /// The kernel that others get the value from, if several make it.
  ir::KernelId supplier(ir::ValueId value, ir::OpId producer) const;

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const ir::Cover& cover_;
  CompressedRows<ir::OpId, ir::KernelId> holders_;
  /// What the bodies of an operator read from outside of it.
  CompressedRows<ir::OpId, ir::ValueId> captured_;
};

}  // namespace amdahlc
