// Before: kernels of a cover hold events.           After: each kernel and the run hold times.
//
//   kernel 0 "linear" events [3, 9]                   [7000, 7040] reported 7000 busy-without 91000
//
// A time is the union of a kernel's own events, per selected iteration; its median is reported. It skips covers
// without a trace. The analysis `timing` computes the times. The pass stores them, so that a dump shows them.

#include <fmt/format.h>

#include <memory>

#include "passes/manager/pass.h"
#include "passes/manager/stored_facts.h"
#include "passes/timing/timing_analysis.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

std::string printTiming(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& timing = analyses.get<TimingAnalysis>(id);
  const ir::RunTimes& run = timing.run();
  std::string text = fmt::format(
      "timing of cover `{}`: iterations {}, events {}, device {} ns, bound {} ns, undisturbed busy {} ns\n", cover.name,
      run.iterations, run.deviceEvents, run.reported(run.deviceNs), run.reported(run.boundNs), run.undisturbedNs);
  for (size_t i = 0; i < run.busyNs.size(); ++i)
    text += fmt::format("  iteration {}: busy {} ns, wall {}\n", i, run.busyNs[i],
                        run.wallNs ? fmt::format("{} ns", (*run.wallNs)[i]) : "unknown");
  for (const ir::Kernel& kernel : cover.kernels) {
    const ir::KernelTime& time = timing.kernel(kernel.id);
    text += fmt::format("  {}: {} ns, busy without it {} ns\n", kernelTitle(module, kernel), time.reportedNs,
                        time.busyWithoutNs);
  }
  return text;
}

void debugIterations(const ir::Cover& cover, const ir::RunTimes& times, PassContext& context) {
  for (size_t i = 0; i < times.busyNs.size(); ++i)
    context.debug(fmt::format("run `{}`, iteration {}: busy {} ns, wall {}", cover.name, i, times.busyNs[i],
                              times.wallNs ? fmt::format("{} ns", (*times.wallNs)[i]) : "unknown"));
}

}  // namespace

class TimingPass : public Pass {
 public:
  TimingPass() {
    runsByDefault();
    printsAnalysis({TimingAnalysis::kName, "run and kernel times of each bound cover", ir::Facet::Bound, printTiming,
                    coversOfRuns});
    requiresFacet(ir::Facet::Bound);
    establishesFacet(ir::Facet::Timed);
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    return storeInRuns<ir::TimedFacet>(module, [&](ir::CoverId id) {
      const auto& timing = context.analyses.get<TimingAnalysis>(id);
      tell(module, module.cover(id), timing, context);
      return timing.times();
    });
  }

 private:
  /// Counts, and gives remarks and debug text.
  void tell(const ir::Module& module, const ir::Cover& cover, const TimingAnalysis& timing, PassContext& context) {
    ++runs_;
    if (context.wantsDebug()) debugIterations(cover, timing.run(), context);
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::KernelTime& time = timing.kernel(kernel.id);
      timedKernels_ += time.reportedNs > 0;
      if (time.reportedNs > 0 && context.wants(RemarkKind::Analysis))
        context.remark(
            RemarkKind::Analysis, OnnxLocation{module.modelName, "", module.displayName(kernel.anchor()), ""},
            fmt::format("kernel {} took {} ns in {}; without it busy time is {} ns", kernel.id.index(), time.reportedNs,
                        plural(timing.run().reportedIterations(), "reported iteration"), time.busyWithoutNs));
    }
  }

  int64_t& timedKernels_ = statistic("timed-kernels", "kernels with a measured time above zero");
  int64_t& runs_ = statistic("runs", "covers whose trace was timed");
};

std::unique_ptr<Pass> makeTimingPass() { return std::make_unique<TimingPass>(); }

}  // namespace amdahlc
