/// Checks how rules say that their kernels run against a trace: `-check-rules -trace=`.
#pragma once

#include "ir/rules.h"
#include "support/diagnostic.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

/// Warns, at the test concerned, of launch sequences that apply to the trace's target and of which some required step
/// fits none of its kernels (`launch-matches-nothing`), or whose steps fit all of them although no operator is named
/// (`launch-matches-everything`).
void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding
