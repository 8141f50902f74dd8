/// Prints the kernel graph of each cover: the output of `print<kernel-graph>`.
#pragma once

#include <string>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

std::string printKernelGraph(const ir::Module& module, AnalysisManager& analyses);

}  // namespace amdahlc
