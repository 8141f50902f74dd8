// All changes of the batch are one factor. They come before fusing: a fused kernel has the work of the larger batch.

#include <fmt/format.h>

#include "passes/speedup_rewrite/scenario_resolution.h"
#include "support/plural.h"

namespace amdahlc {

bool resolveBatch(const ChangesOfKind& changes, ScenarioResolution& scenario) {
  Rational batch = Rational::of(1);
  for (const ir::Change* change : changes) batch = batch * *change->factor;
  size_t guessed = 0, all = 0;
  for (size_t run = 0; run < scenario.runs(); ++run) {
    const auto work = scenario.workOf(run);
    guessed += scenario.changed(run).setBatch(batch, [&](ir::KernelId kernel) {
      ++all;
      return work ? work->underBatch(kernel) : std::nullopt;
    });
  }
  if (guessed > 0)
    scenario.warn(
        DiagId::ChangeDeclined, *changes.back(),
        fmt::format("has no roof for {} of {}, which take as many times as long", guessed, plural(all, "kernel")));
  return true;
}

}  // namespace amdahlc
