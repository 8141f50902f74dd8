#include "replay/scenario/timed_group.h"

#include <algorithm>

namespace amdahlc {

bool TimedGroup::isEmpty() const {
  return kernels.empty() && std::ranges::count(unbound, true) == 0 && !forward && !hasHost && !hasLaunches &&
         hostOperator.empty();
}

bool TimedGroup::overlaps(const TimedGroup& other) const {
  if (forward || other.forward) return false;
  const bool shareKernels =
      std::ranges::any_of(kernels, [&](KernelId kernel) { return std::ranges::binary_search(other.kernels, kernel); });
  bool shareUnbound = false;
  for (size_t phase = 0; phase < kPhaseCount; ++phase) shareUnbound |= unbound[phase] && other.unbound[phase];
  // Inside of an operator its own factor counts, and that of the outer one where operators nest.
  const bool changesHost = hasHost || !hostOperator.empty();
  const bool otherChangesHost = other.hasHost || !other.hostOperator.empty();
  return shareKernels || shareUnbound || (changesHost && otherChangesHost) || (hasLaunches && other.hasLaunches);
}

}  // namespace amdahlc
