/// What a scenario changes in one run.
#pragma once

#include "passes/timing/device_factors.h"
#include "replay/schedule/changes.h"

namespace amdahlc {

struct RunChanges {
  /// Of the device work, by kernel.
  DeviceFactors device;
  /// All else. A predictor adds the factors of events.
  schedule::Changes other;
};

}  // namespace amdahlc
