/// Reads the runs of a report that `-emit=json` wrote.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/comparison/measured_run.h"
#include "support/diagnostic.h"

namespace amdahlc::comparison {

/// The measured runs of a report of schema `amdahlc.report/2`. Reports `baseline-invalid` and returns nullopt if the
/// text is no such report, if a time in it is no time, or if it has no measured run.
std::optional<Baseline> readReport(const std::string& file, std::string_view text, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::comparison
