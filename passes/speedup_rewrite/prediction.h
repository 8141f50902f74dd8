/// Predicted times of a cover under new kernel times.
#pragma once

#include <utility>
#include <vector>

#include "ir/facets/scenarios.h"
#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "support/rational.h"

namespace amdahlc {

/// New time / old time per kernel id; 1 where nothing changes.
using KernelFactors = IdVector<ir::KernelId, Rational>;

/// Predicts busy time, wall time and the critical path (definitions: "Prediction"): busy time is cut into segments by
/// the set of active events; each segment's length is multiplied by the largest factor among its active events, unbound
/// events having factor 1. Wall loses what busy loses:
/// idle time is assumed to stay (`"wall_model": "idle-constant"`). Precondition: the cover is timed. The name of the
/// scenario is left to the caller.
ir::Prediction predict(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                       const KernelFactors& factors);

}  // namespace amdahlc
