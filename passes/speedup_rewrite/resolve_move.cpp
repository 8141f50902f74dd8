// Data dependencies of work that moves are those of the kernel graph. An event without a kernel keeps its order to all
// others of its stream.

#include <fmt/format.h>

#include "passes/speedup_rewrite/kernel_needs.h"
#include "passes/speedup_rewrite/scenario_resolution.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

bool move(const ir::Change& change, ScenarioResolution& scenario) {
  const auto selected = scenario.select(change, change.selectors);
  if (!selected) return false;
  bool any = false;
  size_t inBodies = 0;
  for (size_t i = 0; i < scenario.runs(); ++i) {
    const PredictedRun& run = scenario.run(i);
    for (const ir::KernelId kernel : (*selected)[i]) inBodies += run.graph.graphOf(kernel) != ir::kMainGraph;
    if (run.model == nullptr) continue;
    any |= scenario.changed(i).move((*selected)[i], change.stream, kernelNeeds(run.graph, scenario.owners(i)));
  }
  if (!any) return scenario.fail(change, fmt::format("no run has a stream {}", *change.stream));
  if (inBodies > 0)
    scenario.warn(DiagId::ChangeDeclined, change,
                  fmt::format("leaves {} in bodies of loops and branches where they are", plural(inBodies, "kernel")));
  return true;
}

}  // namespace

bool resolveMove(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  bool ok = true;
  for (const ir::Change* change : changes) ok &= move(*change, scenario);
  return ok;
}

}  // namespace amdahlc
