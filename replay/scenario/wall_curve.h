/// Wall time against the factor of one group: where its slope changes, and what limits then (definitions in
/// docs/passes/curves.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "replay/scenario/timed_group.h"
#include "replay/schedule/prediction.h"
#include "support/rational.h"

namespace amdahlc {

/// The speed-ups that every curve has, as factors: from 1 down to 0.
const std::vector<Rational>& standardFactors();

/// What a curve is made of.
struct CurveTimes {
  schedule::WallModel model;
  /// Events and calls that a prediction walks over, and the reported iterations.
  size_t size;
  int64_t iterations;
  /// The time of the run if the group has this factor, and another one, if any, `kSmallSpeedup`. Where both change a
  /// kernel the factor of the group counts.
  std::function<double(const Rational& factor, std::optional<size_t> other)> limitNs;
  /// The groups that may limit next.
  std::vector<size_t> others;
};

/// The speed-up that finds out what limits next: as small as rounding allows.
inline constexpr Rational kSmallSpeedup{15, 16};

struct WallCurve {
  /// Falling: the standard ones, and those at which the slope changes.
  std::vector<Rational> factors;
  /// From which on the group limits wall time by at most half as much as at first; nullopt if there is none.
  std::optional<Rational> knee;
  /// The other group that limits wall time there, and the one whose speed-up would save most if this group cost
  /// nothing; nullopt for none.
  std::optional<size_t> next, rest;
  /// Whether all breaks were looked for.
  bool isComplete = true;
};

/// Cost: 11 predictions and two for each other group; of a replay also those that look for breaks.
WallCurve wallCurve(const CurveTimes& times);

/// Why a faster group saves next to nothing.
enum class FlatReason : uint8_t { None, OtherHostWork, DeviceLimits, NoTime, LittleTime, HostLimits, OtherWork };
/// What it has of the time of the run: of kernels alone.
struct Flatness {
  FlatReason reason = FlatReason::None;
  double share = 0;
};
/// `wholeNs` and `freeNs` are the time of the run with the group and without it, `ownNs` is the time of its kernels,
/// and `isHostNext` is whether the rest of the curve is time of the host.
Flatness whyFlat(const TimedGroup& group, double wholeNs, double freeNs, double ownNs, bool isHostNext);

}  // namespace amdahlc
