/// Two runs side by side, for the summary.
#pragma once

#include <optional>
#include <string>

#include "report/comparison/compare.h"
#include "report/outputs/output.h"

namespace amdahlc {

/// Tables of totals, kernels, categories and scopes, before and after, the largest difference first.
std::string comparisonTables(const comparison::Comparison& comparison, const TextStyle& style,
                             const ReportOptions& options);

}  // namespace amdahlc
