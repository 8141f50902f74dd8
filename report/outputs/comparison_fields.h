/// Comparisons of runs in the report.
#pragma once

#include <span>
#include <vector>

#include "report/comparison/compare.h"
#include "report/fields.h"
#include "report/report.h"

namespace amdahlc {

/// The keys of an entry of `comparisons`.
extern const std::span<const Field<comparison::Comparison>> kComparisonFields;

/// The first measured run with each other one, then each run with that of the baseline, if there is one.
std::vector<comparison::Comparison> comparisonsOf(const Report& report, const comparison::Baseline* baseline);

}  // namespace amdahlc
