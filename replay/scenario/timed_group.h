/// Groups of what may become faster in a run.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "replay/runtimes/phase.h"
#include "replay/scenario/kernel_factors.h"

namespace amdahlc {

/// What one selector of speed-ups changes in one run.
struct TimedGroup {
  /// As `-what-if=` takes it.
  std::string selector = {};
  /// Those with measured time, ascending. Of a group of forwards, which has all its events instead, those that have no
  /// other time.
  std::vector<KernelId> kernels = {};
  /// Of all kernels of a label, what of undisturbed busy time they take; 0 for what a selector named.
  int64_t timeNs = 0;
  /// By phase: device work without a kernel.
  std::array<bool, kPhaseCount> unbound = {};
  /// All device work of a group of forwards.
  std::optional<uint32_t> forward = std::nullopt;
  /// Of the host's time: all, the calls that launch, or operators of this name (empty: none).
  bool hasHost = false, hasLaunches = false;
  std::string hostOperator = {};

  /// Whether a speed-up of it can change nothing.
  bool isEmpty() const;
  /// Whether both change the same time, so that the later of two factors would count for it. The factors of `host` and
  /// `launches` multiply, and thus do not overlap; so do those of forwards and all others.
  bool overlaps(const TimedGroup& other) const;
  friend bool operator==(const TimedGroup&, const TimedGroup&) = default;
};

}  // namespace amdahlc
