/// The loop of passes that store facts about runs.
#pragma once

#include "passes/manager/pass.h"

namespace amdahlc {

/// Stores `factsOf(cover)` of the facet `F` for each run and establishes the facet.
template <typename F, typename FactsOf>
PassResult storeInRuns(ir::Module& module, FactsOf factsOf) {
  bool changed = !module.has(F::kFacet);
  for (const ir::CoverId id : coversOfRuns(module)) {
    F facts = factsOf(id);
    changed |= module.cover(id).facets.replace(std::move(facts));
  }
  module.establish(F::kFacet);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
