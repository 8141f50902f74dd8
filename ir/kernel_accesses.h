/// What each kernel of a cover reads and writes.
#pragma once

#include <span>

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
  static constexpr const char* kName = "kernel-accesses";
  static constexpr FacetSet kReads{Facet::Simplified, Facet::Fused, Facet::Bound};
  KernelAccesses(const Module& module, const OperatorGraph& graph, const Cover& cover);
  /// As an analysis; `Analyses` caches the operator graph.
  template <typename Analyses>
  KernelAccesses(const Module& module, CoverId cover, Analyses& analyses)
      : KernelAccesses(module, analyses.template get<OperatorGraph>(), module.cover(cover)) {}

  /// In the order of the kernel's operators, possibly repeated.
  std::span<const ValueId> reads(KernelId kernel) const { return reads_[kernel]; }
  std::span<const ValueId> writes(KernelId kernel) const { return writes_[kernel]; }

  friend bool operator==(const KernelAccesses&, const KernelAccesses&) = default;

 private:
  CompressedRows<KernelId, ValueId> reads_, writes_;
};

}  // namespace amdahlc::ir
