/// The option `-fail-on-regression`.
#pragma once

#include "passes/manager/command_option.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// Reports each regression of each run beyond the limit (comparison/regressions.h), and each run that cannot be
/// compared: there is none before, or one of the two is not to be trusted. Preconditions: `timed`; a baseline is given.
void checkRegressions(const GateInput& input, DiagnosticEngine& diagnostics);

}  // namespace amdahlc
