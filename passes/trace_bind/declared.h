/// What the pass `trace-bind` declares besides options: a gate, and a check of rules.
#pragma once

#include "passes/manager/command_option.h"

namespace amdahlc::binding {

/// The gate of `-strict-bind`.
/// Reports each run whose trace does not fit the model, and each run of whose device time less than `limit` thousandths
/// of a percent are bound. The comparison is exact. Runs that were bound by names only are not tested for their fit.
/// Precondition: `bound`.
void checkBoundShare(const GateInput& input, DiagnosticEngine& diagnostics);

/// The check of `-check-rules -trace=`.
/// Warns at a test of a launch sequence that applies to the trace's target: where a required step fits no kernel of the
/// trace (`launch-matches-nothing`), and where all steps fit all kernels although the sequence names no operator
/// (`launch-matches-everything`).
void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding
