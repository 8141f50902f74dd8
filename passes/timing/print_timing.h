/// `print<timing>`. Times are totals over the selected iterations, in ns, as in the analysis.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

std::string printTiming(const ir::Module& module, AnalysisManager& analyses);

}  // namespace amdahlc
