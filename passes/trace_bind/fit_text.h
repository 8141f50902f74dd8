/// When a trace fits the model, what users are told of it, and the device time by state.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "replay/timeline/timeline.h"

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

/// By state of events, over the selected iterations.
struct StateTotals {
  std::array<int64_t, ir::kEventStateCount> ns{}, events{};
};
StateTotals totalsByState(const Timeline& timeline, const ir::BoundFacet& facts);

/// Device time in the reported iterations by the state of its events.
struct DeviceTimesByState {
  static constexpr const char* kName = "device-times-by-state";
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};
  DeviceTimesByState(const ir::Module& module, ir::CoverId cover);

  std::array<int64_t, ir::kEventStateCount> totalNs{};
  /// Rounded so that the parts sum to the rounded whole.
  std::array<int64_t, ir::kEventStateCount> perIterationNs{};
  friend bool operator==(const DeviceTimesByState&, const DeviceTimesByState&) = default;
};

/// ``the trace does not fit the model `m.onnx`: 12.3 % of ...``. Empty if it fits, or if nothing was tested. An empty
/// name of the model is left out.
std::string describeMisfit(const ir::ModelFit& fit, std::string_view model = {});

/// Whether the trace is one of the model, with the measures.
std::string describeFit(const ir::ModelFit& fit);

/// Evidence that a trace does not record, as clauses for users; both empty if it records all.
struct MissingEvidence {
  /// `the trace has no shapes`
  std::string what;
  /// `record with record_shapes=True`; empty if its profiler cannot record more.
  std::string advice;
};
/// `format` is that of the trace.
MissingEvidence missingEvidence(const ir::ModelFit& fit, std::string_view format);

}  // namespace amdahlc::binding
