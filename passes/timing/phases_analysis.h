/// The analysis `phases`: which events of a run are the forward pass, the backward pass, the optimizer, and what is
/// beside them (docs/phases.md).
#pragma once

#include <array>
#include <optional>
#include <span>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "replay/timeline/phases.h"

namespace amdahlc {

class PhasesAnalysis {
 public:
  static constexpr const char* kName = "phases";
  /// The events of a run do not change; `trace-bind` may add runs.
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};

  PhasesAnalysis(const ir::Module& module, ir::CoverId cover);

  /// Null where they are not known, because the run was read from IR text, which has no calls of the host.
  const Phases* known() const { return phases_ ? &*phases_ : nullptr; }
  /// The phase with the most time of the kernel's events, of all selected iterations; nullopt without events, and where
  /// phases are not known.
  const std::optional<Phase>& ofKernel(ir::KernelId kernel) const { return ofKernel_[kernel]; }
  /// By event; empty where phases are not known.
  std::span<const Phase> ofEvents() const {
    return phases_ ? std::span<const Phase>(phases_->ofEvents()) : std::span<const Phase>();
  }
  /// Device time by phase in the reported iterations; all 0 where phases are not known.
  const std::array<PhaseTime, kPhaseCount>& times() const { return times_; }

  friend bool operator==(const PhasesAnalysis& a, const PhasesAnalysis& b) {
    return a.phases_ == b.phases_ && a.ofKernel_ == b.ofKernel_;
  }

 private:
  std::optional<Phases> phases_;
  IdVector<ir::KernelId, std::optional<Phase>> ofKernel_;
  std::array<PhaseTime, kPhaseCount> times_ = {};
};

}  // namespace amdahlc
