/// The times of a run against the factor of one group, as plain data (definitions in docs/passes/curves.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/ids.h"
#include "replay/schedule/prediction.h"
#include "support/rational.h"

namespace amdahlc {

/// Totals over the selected iterations.
struct CurvePoint {
  /// New time / old time of the group.
  Rational factor;
  schedule::PredictedTimes times;
  double pathNs = 0;

  double limitNs() const { return static_cast<double>(times.limitNs()); }
  friend bool operator==(const CurvePoint&, const CurvePoint&) = default;
};

struct Curve {
  std::string selector;
  /// From factor 1 down to 0: the standard ones, and those at which the slope of wall time or of the path changes.
  std::vector<CurvePoint> points;
  /// The factor from which on the group limits wall time by at most half as much as at first; nullopt if there is none.
  std::optional<Rational> knee;
  /// The selector of the group that limits wall time there; empty if there is no knee, or no such group.
  std::string next;
  /// The selector of the group whose speed-up would save most if this group cost nothing; empty for none.
  std::string rest;
  /// The same of the path, and the kernels that are on it beyond the knee and not before.
  std::optional<Rational> pathKnee;
  std::vector<ir::KernelId> pathNext;
  /// Whether all breaks were looked for.
  bool isComplete = true;

  /// Why the times are worth little, as a clause; empty for no reason.
  std::string caution;

  friend bool operator==(const Curve&, const Curve&) = default;
};

}  // namespace amdahlc
