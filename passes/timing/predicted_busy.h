/// Busy time of a run under new times of its kernels.
#pragma once

#include "ir/module.h"
#include "support/rational.h"

namespace amdahlc {

/// New time / old time of the device work of a cover; 1 for what does not change.
struct DeviceFactors {
  IdVector<ir::KernelId, Rational> kernels;
  /// Of events without a kernel.
  Rational unbound = Rational::of(1);
};

/// Busy time over all selected iterations, with the length of each segment multiplied by its largest factor. Lengths
/// are added per factor as integers, so that the only division is the last step.
double predictedBusyNs(const Timeline& timeline, const ir::Cover& cover, const DeviceFactors& factors);

}  // namespace amdahlc
