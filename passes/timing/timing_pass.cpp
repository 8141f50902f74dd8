// Before: kernels of a cover hold events.           After: each kernel and the run hold times.
//
//   kernel 0 "linear" events [3, 9]                   time [7000, 7040] total 14040 busy-without 182000
//
// A time is the union of a kernel's own events, per selected iteration; the pass estimates nothing. It skips covers
// without a trace. The analysis `timing` computes the times. The pass stores them, so that a dump shows them.

#include "passes/timing/timing_pass.h"

#include <fmt/format.h>

#include "passes/timing/print_timing.h"
#include "passes/timing/timing_analysis.h"

namespace amdahlc {
namespace {

void debugIterations(const ir::Cover& cover, const ir::RunTimes& times, PassContext& context) {
  for (size_t i = 0; i < times.busyNs.size(); ++i)
    context.debug(fmt::format("run `{}`, iteration {}: busy {} ns, wall {}", cover.name, i, times.busyNs[i],
                              times.wallNs ? fmt::format("{} ns", (*times.wallNs)[i]) : "unknown"));
}

}  // namespace

TimingPass::TimingPass()
    : timedKernels_(statistic("timed-kernels", "kernels with a measured time above zero")),
      runs_(statistic("runs", "covers whose trace was timed")) {
  runsByDefault();
  printsAnalysis({TimingAnalysis::kName, "run and kernel times of each bound cover", ir::Facet::Bound, printTiming});
  requiresFacet(ir::Facet::Bound);
  establishesFacet(ir::Facet::Timed);
}

PassResult TimingPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Timed);
  for (const ir::CoverId id : module.coverIds()) {
    ir::Cover& cover = module.cover(id);
    if (cover.traceLabel.empty()) continue;
    const auto& timing = context.analyses.get<TimingAnalysis>(id);
    ++runs_;
    ir::TimedFacet timed;
    timed.run = timing.run();
    timed.kernels = timing.kernels();
    changed |= cover.facets.replace(std::move(timed));
    if (context.wantsDebug()) debugIterations(cover, timing.run(), context);
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::KernelTime& time = timing.kernel(kernel.id);
      timedKernels_ += time.totalNs > 0;
      if (time.totalNs > 0 && context.wants(RemarkKind::Analysis))
        context.remark(RemarkKind::Analysis,
                       OnnxLocation{module.modelName, "", module.displayName(kernel.anchor()), ""},
                       fmt::format("kernel {} took {} ns over {} iterations; without it busy time is {} ns",
                                   kernel.id.index(), time.totalNs, timing.run().iterations, time.busyWithoutNs));
    }
  }
  module.establish(ir::Facet::Timed);
  if (!changed) return PassResult::unchanged();
  return PassResult::changed();
}

}  // namespace amdahlc
