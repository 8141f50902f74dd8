// Before: a scenario says `sdpa=2x`.                After: each run has its prediction.
//
//   kernels 3 and 11 (label sdpa): factor 1/2         busy 98 us -> 88.667 us, wall 3218 us -> 3208.667 us
//
// The analysis `scenario-predictions` finds out what each scenario changes, and predicts it, by replay where the run
// has a schedule. The pass asks for it, and tells what it found. Measured facts do not change. If two requests select
// one kernel, the later one counts. A request that selects no kernel in any run is an error, because its author expects
// an effect.

#include <fmt/format.h>

#include <memory>

#include "passes/manager/pass.h"
#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {
namespace {

/// In the order in which they are made.
std::string changeTableText() {
  std::string text = "| change | |\n|--|--|\n";
  for (const ir::ChangeRow& row : ir::changeTable())
    if (!row.form.empty()) text += fmt::format("| {} | {} |\n", row.form, row.what);
  return text;
}

}  // namespace

class SpeedupRewritePass : public Pass {
 public:
  SpeedupRewritePass() {
    runsByDefault();
    needsInput(PassInput::Trace);
    needsInput(PassInput::Speedups);
    requiresFacet(ir::Facet::Timed);
    usesIfBefore("schedule");
    usesIfBefore("roofline");
    documents(changeTableText);
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    context.analyses.request<ScenarioPredictions>(wantedMessages(context));
    const auto& facts = context.analyses.get<ScenarioPredictions>();
    if (!facts.tell(module, context)) return PassResult::failed();
    for (const auto& [cover, found] : facts.runs) {
      predictions_ += static_cast<int64_t>(found.predictions.size());
      for (const Prediction& prediction : found.predictions)
        changedKernels_ += static_cast<int64_t>(prediction.factors.size());
    }
    return PassResult::unchanged();
  }

 private:
  int64_t& changedKernels_ =
      statistic("changed-kernels", "kernels whose predicted time differs, over all scenarios and runs");
  int64_t& predictions_ = statistic("predictions", "over all scenarios and runs");
};

std::unique_ptr<Pass> makeSpeedupRewritePass() { return std::make_unique<SpeedupRewritePass>(); }

}  // namespace amdahlc
