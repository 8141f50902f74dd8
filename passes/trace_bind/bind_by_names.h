/// Binding by kernel names and order alone, for rules that say `evidence names`.
#pragma once

#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {

/// Each kernel of the cover, in order of its id, takes the first launches that no kernel before it took and that fit
/// its rule, in every iteration. Nothing is weighed, and nothing is ambiguous.
///
/// `facts.kernels` has one element per kernel of the cover.
void bindByNames(const ir::Module& module, const ir::Cover& cover, const Launches& launches, RuleLaunches& rules,
                 ir::BoundFacet& facts);

}  // namespace amdahlc::binding
