/// Writers of the outputs that `emit` itself declares: all render the same report.
#pragma once

#include <span>
#include <string>

#include "ir/segments.h"
#include "passes/manager/output_kind.h"
#include "report/report.h"

namespace amdahlc {

std::string writeSummary(const Report& report, const TextStyle& style, const ReportOptions& options);
/// JUnit XML of the comparison with a baseline. Precondition: `options` has one.
std::string writeJUnit(const Report& report, const ReportOptions& options);
/// `amdahlc.report/1`.
std::string writeJson(const Report& report, const ReportOptions& options);
/// The JSON Schema of `amdahlc.report/1`.
std::string reportSchema();
/// One row per kernel and run.
std::string writeCsv(const Report& report);

}  // namespace amdahlc
