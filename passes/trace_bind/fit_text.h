/// What users are told of the fit of a trace and its model, and the device time by state.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ir/facets/bound.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

/// By state of events, over the selected iterations.
struct StateTotals {
  std::array<int64_t, ir::kEventStateCount> ns{}, events{};
};
StateTotals totalsByState(const Timeline& timeline, const ir::BoundFacet& facts);

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
