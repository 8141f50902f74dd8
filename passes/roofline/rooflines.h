/// The roofline of a run: its hardware, and each kernel's least time against its measured one.
#pragma once

#include <string_view>

#include "ir/module.h"
#include "ir/operator_graph.h"
#include "passes/roofline/kernel_work.h"
#include "passes/roofline/roofline_facet.h"
#include "passes/timing/device_factors.h"

namespace amdahlc {

/// The share of its roof from which a kernel is at it.
inline constexpr double kAtRoof = 0.8;

/// The facts about one cover. Precondition: a cover of a run is timed.
RooflineFacet rooflineOf(const ir::Module& module, const ir::OperatorGraph& graph, const ir::Cover& cover,
                         const KernelWork& work, Float32Products float32);

/// Of each kernel the least time by its measured time, at most 1; 1 where one of them is not known.
DeviceFactors attainableFactors(const ir::Cover& cover, const IdVector<ir::KernelId, KernelRoofline>& kernels);

}  // namespace amdahlc
