/// New times of kernels, and the events that have them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "replay/runtimes/phase.h"
#include "replay/timeline/timeline.h"
#include "support/id.h"
#include "support/rational.h"

namespace amdahlc::ir {
struct KernelTag;
}

namespace amdahlc {

/// What several events of a run are work of; `ir::KernelId`, of which only the number counts here.
using KernelId = Id<ir::KernelTag>;
/// Owner of an unbound event.
inline constexpr KernelId kUnboundOwner;

/// New time / old time of the device work of a run; 1 for what does not change.
struct DeviceFactors {
  explicit DeviceFactors(size_t count) : kernels(count, Rational::of(1)) { unbound.fill(Rational::of(1)); }

  IdVector<KernelId, Rational> kernels;
  /// Of events without a kernel, by phase.
  std::array<Rational, kPhaseCount> unbound;
  /// By group of forwards a further factor of all of its events, which multiplies; those behind the last one have none.
  std::vector<Rational> forwards = {};
};

/// What the events of a run are.
struct EventKeys {
  /// kUnboundOwner also for events that are not selected.
  std::vector<KernelId> owners;
  /// Empty where they are not known: then all are `Phase::Other`.
  std::vector<Phase> phases = {};
  /// Groups of forwards, above all of them outside of forwards; empty where they are not known.
  std::vector<uint32_t> forwards = {};

  Phase phase(EventIndex event) const { return phases.empty() ? Phase::Other : phases[event]; }
  friend bool operator==(const EventKeys&, const EventKeys&) = default;
};

/// By event of the run its factor, as predictions take it.
std::vector<Rational> eventFactors(const EventKeys& keys, const DeviceFactors& factors);
/// By kernel its factor with those of forwards: that of the time of its selected events.
IdVector<KernelId, Rational> kernelFactors(const Timeline& timeline, const EventKeys& keys,
                                           const DeviceFactors& factors);

}  // namespace amdahlc
