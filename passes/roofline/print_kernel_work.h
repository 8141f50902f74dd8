/// `print<kernel-work>`: the work of each kernel, from the model alone.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

std::string printKernelWork(const ir::Module& module, AnalysisManager& analyses);

/// The covers that the pass is about: those with a trace, or the default cover if there is none.
std::vector<ir::CoverId> coversWithWork(const ir::Module& module);

}  // namespace amdahlc
