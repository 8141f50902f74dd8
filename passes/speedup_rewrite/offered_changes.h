/// The changes of a run that a page offers, resolved: to kernels, to fused kernels with what they save, and to
/// factors of batches.
#pragma once

#include <string>
#include <vector>

#include "passes/speedup_rewrite/scenario_resolution.h"
#include "replay/module/offer.h"

namespace amdahlc {

struct OfferedChanges {
  Offer offer;
  /// Parallel to the changes: as options take it, without the new time: `rule:linear`, `batch(2x)`. A page writes
  /// `remove(...)` and `cuda-graph(...)` around the text of kernels.
  std::vector<std::string> texts;
};

/// Offered is what `asked` for, as far as it selects something of the run, and what the run has: kernels with time,
/// one by one and by rule, category, operator type and scope; phases; groups of forwards; in a run that is replayed
/// the host, launches, the work of the host with the most time, copies, graphs and waits; of fused kernels those of
/// rules that the run does not use, and those of small scopes; batches. `runs` are all of the module.
OfferedChanges offeredChanges(const ir::Module& module, const std::vector<PredictedRun>& runs, size_t run,
                              const std::vector<ir::Change>& asked);

}  // namespace amdahlc
