/// The option `-strict-bind`.
#pragma once

#include "passes/manager/command_option.h"
#include "support/diagnostic.h"

namespace amdahlc::binding {

/// Reports each run whose trace does not fit the model, and each run of whose device time less than `limit` thousandths
/// of a percent are bound. The comparison is exact. Runs that were bound by names only are not tested for their fit.
/// Precondition: `bound`.
void checkBoundShare(const GateInput& input, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding
