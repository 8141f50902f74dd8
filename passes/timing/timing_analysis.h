/// Measured times of a cover: of the run, and of each kernel (definitions in docs/passes/timing.md).
#pragma once

#include <span>
#include <vector>

#include "ir/facets/timed.h"
#include "ir/module.h"
#include "replay/scenario/kernel_factors.h"
#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc {

/// Times of the run and of the kernels of one bound cover. Precondition: the
/// cover's trace is in the module. It reads bindings and events only, not the times that the pass `timing` stores.
class TimingAnalysis {
 public:
  static constexpr const char* kName = "timing";
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};
  TimingAnalysis(const ir::Module& module, ir::CoverId cover);

  const ir::TimedFacet& times() const { return times_; }
  const ir::RunTimes& run() const { return times_.run; }
  const ir::KernelTime& kernel(ir::KernelId id) const { return times_.kernels[id]; }
  /// By event the factor to its undisturbed duration.
  const std::vector<Rational>& undisturbed() const { return undisturbed_; }

  friend bool operator==(const TimingAnalysis&, const TimingAnalysis&) = default;

 private:
  std::vector<Rational> undisturbed_;
  ir::TimedFacet times_;
};

/// What of undisturbed busy time groups of kernels take, of which tables show the share: the union of the group's
/// events in the reported iterations, each with its undisturbed factor. Precondition: the cover is timed.
std::vector<int64_t> timesOfGroups(const Timeline& timeline, const ir::Cover& cover,
                                   std::span<const std::vector<ir::KernelId>> groups);

/// Selected events of one iteration of a cover's trace, each with its kernel.
struct OwnedEvents {
  /// In order of start.
  std::vector<EventIndex> events;
  /// Parallel to `events`; kUnboundOwner for an unbound event.
  std::vector<ir::KernelId> owners;
};

/// One entry per selected iteration, in order.
std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover);

}  // namespace amdahlc
