/// New times of the kernels of a run.
#pragma once

#include <span>
#include <vector>

#include "ir/module.h"
#include "replay/timeline/timeline.h"
#include "support/rational.h"

namespace amdahlc {

/// New time / old time of the device work of a cover; 1 for what does not change.
struct DeviceFactors {
  explicit DeviceFactors(size_t count) : kernels(count, Rational::of(1)) {}

  IdVector<ir::KernelId, Rational> kernels;
  /// Of events without a kernel.
  Rational unbound = Rational::of(1);
};

/// By event of the cover's run its factor, as predictions take it. `owners` are those of `eventOwners`.
std::vector<Rational> eventFactors(std::span<const ir::KernelId> owners, const DeviceFactors& factors);

}  // namespace amdahlc
