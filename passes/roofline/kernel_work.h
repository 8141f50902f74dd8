/// The analysis `kernel-work`: what each kernel of a cover computes, reads and writes, from shapes and types alone:
/// those of the run, where the cover has one. docs/passes/roofline.md states the conventions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "passes/roofline/operator_work.h"

namespace amdahlc {

/// Bytes of one tensor that a kernel reads or writes in one run.
struct TensorTraffic {
  /// The value that names the tensor: not a view of it.
  ir::ValueId root;
  int64_t bytes = 0;
  /// A constant of the model: a weight.
  bool isGlobal = false;
  /// Only as much of it is needed as results ask for, such as rows of a table.
  bool isPart = false;
  friend bool operator==(const TensorTraffic&, const TensorTraffic&) = default;
};

/// The work of one run of a kernel, or of one that could be.
struct KernelWorkOf {
  /// If it is there, nothing else is.
  std::optional<Absence> unknown;
  /// Each tensor once, ascending by its root; not what the kernel itself makes for itself. One of 0 bytes is needed,
  /// and not read: data that a scatter leaves in place.
  std::vector<TensorTraffic> reads, writes;
  /// Of units that multiply matrices, and of all others, by the type of the operands. No entry is 0.
  FlopsByType matrixFlops, vectorFlops;

  bool isKnown() const { return !unknown; }
  /// Beyond 64 bits the largest number; the analysis says that the work is too large instead.
  int64_t readBytes() const;
  int64_t writtenBytes() const;
  int64_t bytes() const;
  int64_t flops() const;
  friend bool operator==(const KernelWorkOf&, const KernelWorkOf&) = default;
};

/// The work of all kernels of a cover. Kernels that only rename what they read have none; those of bodies count one
/// trip. Linear in the operators, values and uses of the module.
class KernelWork {
 public:
  static constexpr const char* kName = "kernel-work";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound};
  KernelWork(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  const KernelWorkOf& of(ir::KernelId kernel) const { return facts_.kernels[kernel]; }
  size_t size() const { return facts_.kernels.size(); }
  /// The work of one kernel that does what these do. A tensor that one of them makes is not read; if no other kernel
  /// needs it and no graph returns it, it is not written either. What several read is read once: as much as the one
  /// that needs the most of it. Unknown if one of them is. Whether they can be one kernel is not asked.
  KernelWorkOf fused(std::span<const ir::KernelId> kernels) const;

  friend bool operator==(const KernelWork&, const KernelWork&) = default;

 private:
  struct Facts {
    IdVector<ir::KernelId, KernelWorkOf> kernels;
    /// By root: in how many kernels it is read, and whether a graph returns it or a view of it.
    IdVector<ir::ValueId, uint32_t> readers;
    IdVector<ir::ValueId, bool> isReturned;
    friend bool operator==(const Facts&, const Facts&) = default;
  };
  friend class WorkScan;

  Facts facts_;
};

}  // namespace amdahlc
