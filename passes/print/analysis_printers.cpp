// Texts of the analyses that analyses.def names. Times are totals over the selected iterations, in ns, as the analyses hold them.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ir/kernel_graph.h"
#include "ir/module.h"
#include "passes/critical_path/path_analysis.h"
#include "passes/manager/analysis.h"
#include "passes/timing/timing_analysis.h"

namespace amdahlc {
namespace {

std::string joined(std::span<const ir::KernelId> kernels) {
  std::string text;
  for (const ir::KernelId kernel : kernels) text += fmt::format(" {}", kernel.index());
  return text;
}

std::string title(const ir::Module& module, const ir::Kernel& kernel) {
  return fmt::format("{} \"{}\" at {}", kernel.id.index(), ir::kernelLabel(module, kernel),
                     module.displayName(kernel.anchor()));
}

}  // namespace

std::string printKernelGraph(const ir::Module& module, AnalysisCache& analyses) {
  std::string text;
  for (const ir::Cover& cover : module.covers) {
    const auto& graph = analyses.get<ir::KernelGraph>(cover.name, cover);
    text += fmt::format("kernel-graph of cover `{}`: {} kernels\n", cover.name, cover.kernels.size());
    for (const ir::Kernel& kernel : cover.kernels) {
      text += "  " + title(module, kernel);
      if (!graph.predecessors(kernel.id).empty()) text += "; after" + joined(graph.predecessors(kernel.id));
      for (const ir::ValueId input : graph.graphInputs(kernel.id))
        text += fmt::format("; input {}", module.text(module.values[input].name));
      if (!graph.bodyKernels(kernel.id).empty()) text += "; body" + joined(graph.bodyKernels(kernel.id));
      text += '\n';
    }
  }
  return text;
}

std::string printTiming(const ir::Module& module, AnalysisCache& analyses) {
  std::string text;
  for (const ir::Cover& cover : module.covers) {
    if (cover.traceLabel.empty()) continue;
    const auto& timing = analyses.get<TimingAnalysis>(cover.name, cover);
    const ir::RunTimes& run = timing.run();
    text += fmt::format("timing of cover `{}`: iterations {}, events {}, device {} ns, bound {} ns, unbound {} ns\n",
                        cover.name, run.iterations, run.deviceEvents, run.deviceNs, run.boundNs, run.unboundNs);
    for (size_t i = 0; i < run.busyNs.size(); ++i)
      text += fmt::format("  iteration {}: busy {} ns, wall {} ns\n", i, run.busyNs[i], run.wallNs[i]);
    for (const ir::Kernel& kernel : cover.kernels) {
      const ir::KernelTime& time = timing.kernel(kernel.id);
      text +=
          fmt::format("  {}: {} ns, busy without it {} ns\n", title(module, kernel), time.totalNs, time.busyWithoutNs);
    }
  }
  return text;
}

std::string printCriticalPath(const ir::Module& module, AnalysisCache& analyses) {
  std::string text;
  for (const ir::Cover& cover : module.covers) {
    if (!cover.times) continue;
    const auto& graph = analyses.get<ir::KernelGraph>(cover.name, cover);
    IdVector<ir::KernelId, PathWeight> weights;
    for (const ir::Kernel& kernel : cover.kernels) weights.push_back(kernel.time ? kernel.time->totalNs : 0);
    const auto& path = analyses.get<PathAnalysis>(cover.name, cover, graph, weights);
    text += fmt::format("critical-path of cover `{}`: {} ns through{}; ties {}\n", cover.name,
                        static_cast<int64_t>(path.length()), joined(path.path()), path.ties());
    for (const ir::Kernel& kernel : cover.kernels)
      text += fmt::format("  {}: weight {} ns, slack {} ns{}\n", title(module, kernel),
                          static_cast<int64_t>(path.weight(kernel.id)), static_cast<int64_t>(path.slack(kernel.id)),
                          path.critical(kernel.id) ? ", on the path" : "");
  }
  return text;
}

}  // namespace amdahlc
