#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

bool resolveOverlapCopies(const ChangesOfKind&, ScenarioResolution& scenario) {
  for (size_t run = 0; run < scenario.runs(); ++run)
    if (const schedule::RunModel* model = scenario.run(run).model)
      schedule::overlapCopies(*model, schedule::allSelected(model->calls.timeline()), scenario.changes(run).other);
  return true;
}

}  // namespace amdahlc
