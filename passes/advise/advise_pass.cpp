// Before: a run has times, a schedule and roofs.    After: it has a list of changes, the best first.
//
//   wall 7560 us                                     1. cuda-graph       saves 6151 us, then wall 1409 us
//                                                    2. linear, 3.1x     saves   20 us, then wall 1190 us
//
// Each change is predicted alone, and on top of those before it: where a host limits a run, faster kernels save nothing
// until its launches are gone. What a kernel could reach is known of described devices only.

#include "passes/advise/advise_pass.h"

#include "ir/facets/timed.h"
#include "passes/advise/advice_facet.h"
#include "passes/advise/candidates.h"
#include "passes/advise/ranking.h"
#include "passes/advise/report_advice.h"
#include "passes/curves/timed_groups.h"

namespace amdahlc {

AdvisePass::AdvisePass() : candidates_(statistic("candidates", "changes that were predicted, over all runs")) {
  runsByDefault();
  needsInput(PassInput::Trace);
  reports(adviceSection());
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Advice);
}

PassResult AdvisePass::run(ir::Module& module, PassContext& context) {
  std::vector<PredictedRun> runs = predictedRuns(module, context);
  for (PredictedRun& run : runs) run.work = &context.analyses.get<KernelWork>(run.cover);
  bool changed = !module.has(ir::Facet::Advice);
  for (size_t i = 0; i < runs.size(); ++i) {
    AdviceFacet facet;
    AdviceCandidates candidates = adviceCandidates(module, runs, i);
    candidates_ += static_cast<int64_t>(candidates.candidates.size());
    rankAdvice(module, runs[i], std::move(candidates), context, facet);
    changed |= module.cover(runs[i].cover).facets.replace(std::move(facet));
  }
  module.establish(ir::Facet::Advice);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
