/// Outputs for Model Explorer, the model viewer of Google AI Edge: the model as a graph, and data for its nodes
/// (docs/formats/model-explorer.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/operator_graph.h"
#include "passes/manager/output_kind.h"
#include "report/report.h"

namespace amdahlc {

/// The operators after `simplify` in their modules and bodies, with what is known of them in a run, and critical paths.
std::string writeModelExplorerGraph(const Report& report, const RunReport& run, const ir::OperatorGraph& operators);

/// Shares of busy time: of each kernel at its anchor, so that sums over groups of nodes are sums over kernels; the same
/// at each node of the kernel, named `kernels`; and both as predicted for each what-if, named after it. Kernels without
/// events have no share. Precondition: the run has times.
std::vector<NamedDocument> writeNodeData(const Report& report, const RunReport& run,
                                         const ir::OperatorGraph& operators);

}  // namespace amdahlc
