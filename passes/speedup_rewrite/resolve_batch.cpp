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
    DeviceFactors& device = scenario.changes(run).device;
    for (Rational& factor : device.unbound) factor = factor * batch;
    for (const ir::KernelId kernel : device.kernels.ids()) {
      if (scenario.timeOf(run, kernel) == 0) continue;
      const auto factor = work ? work->underBatch(kernel) : std::nullopt;
      guessed += !factor;
      ++all;
      scenario.setFactor(run, kernel, device.kernels[kernel] * factor.value_or(batch));
    }
  }
  if (guessed > 0)
    scenario.warn(
        DiagId::ChangeDeclined, *changes.back(),
        fmt::format("has no roof for {} of {}, which take as many times as long", guessed, plural(all, "kernel")));
  return true;
}

}  // namespace amdahlc
