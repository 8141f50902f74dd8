/// Conditions on a run that the command line demands, and what they compare it with.
#pragma once

#include <optional>

#include "comparison/measured_run.h"
#include "driver/settings.h"
#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::driver {

/// The report of `-baseline`, plain or compressed with gzip or zstd. Reports `baseline-invalid`, or why it cannot be
/// read.
std::optional<comparison::Baseline> loadBaseline(const Settings& settings, DiagnosticEngine& diagnostics);

/// Checks the gates of `settings` after the last pass. `baseline` may be null. Every condition that does not hold is an
/// error.
ExitCode checkGates(const Settings& settings, const ir::Module& module, AnalysisManager& analyses,
                    const comparison::Baseline* baseline, const PassRegistry& registry, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver
