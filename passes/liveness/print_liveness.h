/// `print<liveness>`. Times are totals over the selected iterations, in ns, as in the analysis.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

std::string printLiveness(const ir::Module& module, AnalysisManager& analyses);

/// The covers that the pass is about: those with a trace, or the default cover if there is none.
std::vector<ir::CoverId> coversWithTensors(const ir::Module& module);

}  // namespace amdahlc
