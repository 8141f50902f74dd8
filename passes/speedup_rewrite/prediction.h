/// Predicted times of a cover under new kernel times.
#pragma once

#include <utility>
#include <vector>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/timing/device_factors.h"

namespace amdahlc {

/// Predicts busy time (schedule/busy_time.h), wall time and the critical path (docs/passes/speedup-rewrite.md). Wall
/// time shrinks by as much as busy time: idle time is assumed to stay (`"wall_model": "idle-constant"`). Precondition:
/// the cover is timed. The caller sets the name of the scenario.
ir::Prediction predict(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                       const DeviceFactors& factors);

}  // namespace amdahlc
