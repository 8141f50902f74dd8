/// The printer of the analysis `run-model`.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

std::string printRunModel(const ir::Module& module, AnalysisManager& analyses);

}  // namespace amdahlc
