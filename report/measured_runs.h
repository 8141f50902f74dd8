/// Runs of the report in the form in which runs are compared.
#pragma once

#include <span>

#include "passes/manager/command_option.h"
#include "report/comparison/compare.h"
#include "report/report.h"
#include "support/absence.h"

namespace amdahlc {

/// A time of the run. Of means it is `ns`.
comparison::MeasuredTime measuredTime(const RunReport& run, int64_t ns, const std::vector<int64_t>& perIterationNs);
/// The run as comparisons take it. Precondition: the run has totals.
comparison::MeasuredRun measuredRun(const RunReport& run);

/// The run of `baseline` that this one is compared with: that of the same label, or the only one if `runs` is 1.
Known<const comparison::MeasuredRun*> runBefore(const comparison::Baseline& baseline, const RunReport& run,
                                                size_t runs);

/// A run against the one before. There is no comparison if there is none before, or if the numbers of the two say
/// nothing about each other: one of them is not to be trusted, or they are not of one model.
Known<comparison::Comparison> comparedWithBaseline(const comparison::Baseline& baseline, const RunReport& run,
                                                   size_t runs);

/// The gate of `-fail-on-regression`: reports each regression of each run beyond the limit
/// (report/comparison/regressions.h), and each run that cannot be compared: there is none before, or one of the two is
/// not to be trusted. Preconditions: `timed`; a baseline is given.
void checkRegressions(const GateInput& input, DiagnosticEngine& diagnostics);
inline bool comparesWithBaseline(const Gate& gate) { return gate.check == checkRegressions; }

}  // namespace amdahlc
