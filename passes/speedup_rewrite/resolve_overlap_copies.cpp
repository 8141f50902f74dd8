#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

bool resolveOverlapCopies(const ChangesOfKind&, ScenarioResolution& scenario) {
  for (size_t run = 0; run < scenario.runs(); ++run) scenario.changed(run).overlapCopies();
  return true;
}

}  // namespace amdahlc
