/// How well a trace fits the model as a whole.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ir/facets/bound.h"
#include "passes/trace_bind/search.h"

namespace amdahlc::binding {

/// A share in thousandths, rounded.
inline uint16_t permille(double share) {
  return static_cast<uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * 1000));
}

/// A trace fits the model if at least so much of its calls is explained, so much of the units ran in one forward, and
/// so many weights of the model occur. `./dev accuracy fit` prints the measures of all right and foreign
/// pairs: these lie between them.
inline constexpr uint16_t kLeastCallsPermille = 560, kLeastUnitsPermille = 956, kLeastWeightsPermille = 700;
/// If less of the calls is explained, all units must have run, and half of the device time be bound.
inline constexpr uint16_t kLeastCallsOfPartPermille = 790;

/// Which kinds of evidence the selected iterations have.
ir::RecordedEvidence recordedEvidence(const Launches& launches);
/// Of a run that was aligned. `facts` has all events.
ir::ModelFit measureFit(const Search& search, const ir::BoundFacet& facts);

}  // namespace amdahlc::binding
