
#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

bool resolveRemove(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  bool ok = true;
  for (const ir::Change* change : changes) {
    auto selected = scenario.select(*change, change->selectors);
    ok &= selected.has_value();
    if (!selected) continue;
    bool any = false;
    for (size_t run = 0; run < scenario.runs(); ++run) {
      std::vector<ir::KernelId>& kernels = (*selected)[run];
      std::erase_if(kernels, [&](ir::KernelId kernel) { return scenario.timeOf(run, kernel) == 0; });
      any |= !kernels.empty();
      scenario.changed(run).remove(kernels);
    }
    if (!any)
      scenario.warn(DiagId::SpeedupWithoutTime, *change,
                    "selects kernels without measured time; the prediction does not change");
  }
  return ok;
}

}  // namespace amdahlc
