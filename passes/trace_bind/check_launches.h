/// Checks the launch sequences of rules against a trace: `-check-rules -trace=`.
#pragma once

#include "ir/rules.h"
#include "support/diagnostic.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

/// Warns at a test of a launch sequence that applies to the trace's target: where a required step fits no kernel of the
/// trace (`launch-matches-nothing`), and where all steps fit all kernels although the sequence names no operator
/// (`launch-matches-everything`).
void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding
