/// Scenarios: named sets of planned new times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/selectors.h"
#include "support/rational.h"
#include "support/source.h"

namespace amdahlc::ir {

struct SpeedupRequest {
  SelectorKind kind = SelectorKind::Any;
  std::string selector;
  /// New time / old time: a speed-up of 2x is 1/2.
  std::optional<Rational> factor;
  /// New time per iteration.
  std::optional<int64_t> fixedNs;
  /// Where it was written (not part of the IR text).
  SourceRange range;
};

/// A named set of new times. Measured facts are never overwritten. The facet `scenarios` of a cover stores the
/// predictions.
struct Scenario {
  std::string name;
  std::vector<SpeedupRequest> requests;
};

}  // namespace amdahlc::ir
