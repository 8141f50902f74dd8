/// A run that was aligned with the graph: where its events go, and what decided.
#pragma once

#include <cstdint>

#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/search.h"

namespace amdahlc::binding {

struct AlignedRun {
  const Search& search;
  const ChosenCover& chosen;
  const Instances& instances;
  const Posteriors& probabilities;
};

/// Adds the events of calls to the kernels that the calls are bound to, or to the events of no kernel.
void distribute(const AlignedRun& run, uint16_t thresholdPermille, ir::BoundFacet& facts);
/// How well the run fits the model. `facts` has all events.
ir::ModelFit measureFit(const Search& search, const ir::BoundFacet& facts);
/// Explains what the options name.
void explain(const AlignedRun& run, const BindOptions& options, const ir::Cover& cover, const ir::BoundFacet& facts,
             BoundRun& result);

}  // namespace amdahlc::binding
