/// The section of the pass `trace-bind` in the report: whether the trace fits the model, and device time by state.
#pragma once

#include <string>

#include "ir/facets/bound.h"
#include "passes/manager/report_section.h"

namespace amdahlc::binding {

/// Key `binding` of a run; lines of the summary where the trace does not fit, was bound by names only, or lacks a kind
/// of evidence.
ReportSection bindingReport();

/// Why the trace is not one of the model, and what to do about it: "only 12.3 % of ...". Empty if it fits.
std::string describeMisfit(const ir::ModelFit& fit);

/// Whether the trace is one of the model, with the measures.
std::string describeFit(const ir::ModelFit& fit);

/// What the trace does not record, and how to record it. Empty if it records everything.
std::string describeMissingEvidence(const ir::ModelFit& fit);

}  // namespace amdahlc::binding
