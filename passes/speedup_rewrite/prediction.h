/// Predicted times of a cover under new kernel times.
#pragma once

#include <utility>
#include <vector>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/timing/predicted_busy.h"

namespace amdahlc {

/// Predicts busy time, wall time and the critical path (docs/passes/speedup-rewrite.md). Busy time is divided into
/// segments by the set of active events. The length of each segment is multiplied by the largest factor among its
/// active events; unbound events have their own. Wall time shrinks by as much as busy time: idle time is assumed to
/// stay (`"wall_model": "idle-constant"`). Precondition: the cover is timed. The caller sets the name of the scenario.
ir::Prediction predict(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                       const DeviceFactors& factors);

}  // namespace amdahlc
