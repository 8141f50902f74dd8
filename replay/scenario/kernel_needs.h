/// What kernels need the results of, so that work can move to another stream.
#pragma once

#include <span>
#include <vector>

#include "replay/scenario/kernel_factors.h"
#include "replay/schedule/program_changes.h"

namespace amdahlc {

/// By kernel the nearest ones with events from which it gets data.
struct KernelNeeds {
  IdVector<KernelId, std::vector<KernelId>> needs;
  /// False of kernels without events, and of those of which nobody knows what they need.
  IdVector<KernelId, bool> isKnown;
  friend bool operator==(const KernelNeeds&, const KernelNeeds&) = default;
};

/// The events of kernels that move, with what events need of each other. An event needs the last event, in its
/// iteration, of each kernel that its own one needs. `owners` are those of events.
schedule::MovedEvents movedEvents(const schedule::RunModel& model, const std::vector<KernelId>& owners,
                                  const KernelNeeds& needs, std::span<const KernelId> moved);

}  // namespace amdahlc
