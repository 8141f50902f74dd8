#include "passes/fuse/print_kernel_graph.h"

#include <fmt/format.h>

#include <span>

#include "ir/kernel_graph.h"
#include "passes/manager/analysis_printer.h"

namespace amdahlc {
namespace {

std::string joined(std::span<const ir::KernelId> kernels) {
  std::string text;
  for (const ir::KernelId kernel : kernels) text += fmt::format(" {}", kernel.index());
  return text;
}

}  // namespace

std::string printKernelGraph(const ir::Module& module, AnalysisManager& analyses) {
  std::string text;
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    const auto& graph = analyses.get<ir::KernelGraph>(id);
    text += fmt::format("kernel-graph of cover `{}`: {} kernels\n", cover.name, cover.kernels.size());
    for (const ir::Kernel& kernel : cover.kernels) {
      text += "  " + kernelTitle(module, kernel);
      if (!graph.predecessors(kernel.id).empty()) text += "; after" + joined(graph.predecessors(kernel.id));
      for (const ir::ValueId input : graph.graphInputs(kernel.id))
        text += fmt::format("; input {}", module.text(module.values[input].name));
      if (!graph.bodyKernels(kernel.id).empty()) text += "; body" + joined(graph.bodyKernels(kernel.id));
      text += '\n';
    }
  }
  return text;
}

}  // namespace amdahlc
