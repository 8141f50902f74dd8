/// Writers of the outputs that `emit` itself declares: all render the same report.
#pragma once

#include <span>
#include <string>

#include "ir/segments.h"
#include "passes/emit/report.h"
#include "passes/manager/output_kind.h"

namespace amdahlc {

std::string writeSummary(const Report& report, const TextStyle& style, const ReportOptions& options,
                         std::span<const ReportSection> sections);
/// JUnit XML of the comparison with a baseline. Precondition: `options` has one.
std::string writeJUnit(const Report& report, const ReportOptions& options, std::span<const ReportSection> sections);
/// `amdahlc.report/1`.
std::string writeJson(const Report& report, std::span<const ReportSection> sections, const ReportOptions& options);
/// The JSON Schema of `amdahlc.report/1`.
std::string reportSchema(std::span<const ReportSection> sections);
/// One row per kernel and run.
std::string writeCsv(const Report& report, std::span<const ReportSection> sections);

}  // namespace amdahlc
