// All changes are one: a graph has the work that any of them selects.

#include "passes/speedup_rewrite/scenario_resolution.h"

namespace amdahlc {

bool resolveGraph(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  bool ok = true;
  std::vector<schedule::EventSet> captured(scenario.runs());
  for (const ir::Change* change : changes) {
    const auto selected = scenario.select(*change, change->selectors);
    ok &= selected.has_value();
    if (!selected) continue;
    for (size_t run = 0; run < scenario.runs(); ++run) {
      if (scenario.run(run).model == nullptr) continue;
      // Without selectors it is all work, bound or not.
      const schedule::EventSet events = change->selectors.empty() ? scenario.changed(run).allEvents()
                                                                  : scenario.changed(run).eventsOf((*selected)[run]);
      captured[run].resize(events.size());
      for (size_t event = 0; event < events.size(); ++event)
        if (events[event]) captured[run][event] = true;
    }
  }
  for (size_t run = 0; ok && run < scenario.runs(); ++run) scenario.changed(run).capture(captured[run]);
  return ok;
}

}  // namespace amdahlc
