/// New times that follow from the bytes and operations of kernels.
#pragma once

#include <optional>
#include <span>

#include "passes/roofline/kernel_work.h"
#include "passes/roofline/roofline_analysis.h"
#include "replay/scenario/run_scenario.h"
#include "support/rational.h"

namespace amdahlc {

/// Of the kernels of one cover. What is not known of a kernel changes nothing.
class WorkFactors {
 public:
  /// `roofline` must outlive the object and have the hardware of the run. The new batch is `batch` times that of the
  /// run.
  WorkFactors(const RooflineAnalysis& roofline, const Rational& batch) : roofline_(roofline), batch_(batch) {}

  /// The work of a fused kernel.
  KernelWorkOf fused(std::span<const ir::KernelId> group) const;
  /// What a kernel saves as a part of a fused one. That is the least that it saves if memory or a cache bounds it;
  /// nothing if not.
  FusedPart part(ir::KernelId kernel, const KernelWorkOf& fused) const;
  /// The least time of the fused kernel, in ns over all runs in the reported iterations; 0 if it is not known.
  int64_t leastNs(std::span<const ir::KernelId> group, const KernelWorkOf& fused) const;

  /// New time / old time with the larger batch, as the least times are: what a kernel computes, reads and writes grows
  /// with the batch, but for weights that it reads as a whole. nullopt if they are not known.
  std::optional<Rational> underBatch(ir::KernelId kernel) const;

 private:
  const RooflineAnalysis& roofline_;
  Rational batch_;
};

/// Kernels that become one, ascending, by their work.
FusedGroup fusedGroup(std::span<const ir::KernelId> kernels, const std::optional<WorkFactors>& work);

}  // namespace amdahlc
