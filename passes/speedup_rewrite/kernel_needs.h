/// What the kernels of a run need of each other, by the kernel graph.
#pragma once

#include <vector>

#include "ir/kernel_graph.h"
#include "replay/scenario/kernel_needs.h"

namespace amdahlc {

/// `owners` are those of the events of the run. Data goes into a body and out of it, and from trip to trip: what
/// kernels of bodies need is not known, and neither is what needs them. Nor is what the graph is too large to be
/// searched for.
KernelNeeds kernelNeeds(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& owners);

}  // namespace amdahlc
