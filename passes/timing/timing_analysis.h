/// Measured times of a cover: of the run, and of each kernel (definitions in docs/passes/timing.md); and new times of
/// its kernels.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ir/facets/timed.h"
#include "ir/module.h"
#include "replay/runtimes/phase.h"
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

/// Times of groups of kernels in the reported iterations, each of the union of the group's events, as `RunTimes::ofRow`
/// has it. Overlap of its kernels counts once, and the median is that of the group. Precondition: the cover is timed.
std::vector<int64_t> timesOfGroups(const Timeline& timeline, const ir::Cover& cover,
                                   std::span<const std::vector<ir::KernelId>> groups);

/// Owner of an unbound event.
inline constexpr ir::KernelId kUnboundOwner = ir::kNone;

/// Selected events of one iteration of a cover's trace, each with its kernel.
struct OwnedEvents {
  /// In order of start.
  std::vector<EventIndex> events;
  /// Parallel to `events`; kUnboundOwner for an unbound event.
  std::vector<ir::KernelId> owners;
};

/// One entry per selected iteration, in order.
std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover);

/// New time / old time of the device work of a cover; 1 for what does not change.
struct DeviceFactors {
  explicit DeviceFactors(size_t count) : kernels(count, Rational::of(1)) { unbound.fill(Rational::of(1)); }

  IdVector<ir::KernelId, Rational> kernels;
  /// Of events without a kernel, by phase.
  std::array<Rational, kPhaseCount> unbound;
  /// By group of forwards a further factor of all of its events, which multiplies; those behind the last one have none.
  std::vector<Rational> forwards = {};
};

/// What the events of a run are.
struct EventKeys {
  /// Those of `ir::eventOwners`.
  std::vector<ir::KernelId> owners;
  /// Empty where they are not known: then all are `Phase::Other`.
  std::vector<Phase> phases = {};
  /// Groups of forwards, above all of them outside of forwards; empty where they are not known.
  std::vector<uint32_t> forwards = {};

  Phase phase(EventIndex event) const { return phases.empty() ? Phase::Other : phases[event]; }
  friend bool operator==(const EventKeys&, const EventKeys&) = default;
};

/// By event of the cover's run its factor, as predictions take it.
std::vector<Rational> eventFactors(const EventKeys& keys, const DeviceFactors& factors);
/// By kernel its factor with those of forwards: that of the time of its selected events.
IdVector<ir::KernelId, Rational> kernelFactors(const Timeline& timeline, const EventKeys& keys,
                                               const DeviceFactors& factors);

}  // namespace amdahlc
