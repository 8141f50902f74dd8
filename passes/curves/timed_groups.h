/// Groups of what may become faster in a run: those that selectors name, and those that a run has by itself.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/manager/pass.h"
#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

/// What one selector of speed-ups changes in one run.
struct TimedGroup {
  /// As `-what-if=` takes it.
  std::string selector;
  /// Those with measured time, ascending. Of a group of forwards, which has all its events instead, those that have no
  /// other time.
  std::vector<ir::KernelId> kernels;
  /// Of all kernels of a label, as `timesOfGroups` has it; 0 for what a selector named.
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

/// By run, the group of each selector, in their order; empty without selectors.
using NamedGroups = std::map<ir::CoverId, std::vector<TimedGroup>>;

/// Those of an option of the kind `List`. nullopt if one is no selector, or selects nothing in any run, which is an
/// error at its place.
std::optional<NamedGroups> groupsOf(const ir::Module& module, const std::vector<std::string>& selectors,
                                    const PassOption& option, PassContext& context);

/// The groups of a run for which nobody named any: kernels by label, those with the most time first and at most
/// `mostLabels`; then `launches` and `host` if the run can be replayed.
std::vector<TimedGroup> groupsByLabel(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                                      size_t mostLabels);

}  // namespace amdahlc
