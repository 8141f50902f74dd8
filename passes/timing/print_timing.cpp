#include "passes/timing/print_timing.h"

#include <fmt/format.h>

#include "passes/manager/analysis_printer.h"
#include "passes/timing/timing_analysis.h"

namespace amdahlc {

std::string printTiming(const ir::Module& module, AnalysisManager& analyses) {
  std::string text;
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    if (cover.traceLabel.empty()) continue;
    const auto& timing = analyses.get<TimingAnalysis>(id);
    const ir::RunTimes& run = timing.run();
    text += fmt::format("timing of cover `{}`: iterations {}, events {}, device {} ns, bound {} ns, unbound {} ns\n",
                        cover.name, run.iterations, run.deviceEvents, run.deviceNs, run.boundNs, run.unboundNs);
    for (size_t i = 0; i < run.busyNs.size(); ++i)
      text += fmt::format("  iteration {}: busy {} ns, wall {}\n", i, run.busyNs[i],
                          run.wallNs ? fmt::format("{} ns", (*run.wallNs)[i]) : "unknown");
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::KernelTime& time = timing.kernel(kernel.id);
      text += fmt::format("  {}: {} ns, busy without it {} ns\n", kernelTitle(module, kernel), time.totalNs,
                          time.busyWithoutNs);
    }
  }
  return text;
}

}  // namespace amdahlc
