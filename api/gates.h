/// Conditions on a run that a request demands, and what they compare it with.
#pragma once

#include <optional>

#include "api/outcome.h"
#include "api/request.h"
#include "ir/module.h"
#include "report/comparison/measured_run.h"
#include "support/diagnostic.h"

namespace amdahlc::api {

/// The report of `-baseline`, plain or compressed with gzip or zstd. Reports `baseline-invalid`, or why it cannot be
/// read.
std::optional<comparison::Baseline> loadBaseline(const Request& request, DiagnosticEngine& diagnostics);

/// Checks the gates of the request after the last pass. Every condition that does not hold is an error.
Outcome checkGates(const Request& request, const ir::Module& module, AnalysisManager& analyses,
                   DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api
