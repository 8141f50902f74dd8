#include "passes/roofline/print_kernel_work.h"

#include <fmt/format.h>

#include "passes/manager/analysis_printer.h"
#include "passes/roofline/kernel_work.h"

namespace amdahlc {
namespace {

std::string shownTraffic(const ir::Module& module, const std::vector<TensorTraffic>& traffic) {
  std::string text;
  for (const TensorTraffic& one : traffic)
    text += fmt::format("{}`{}` {}{}", text.empty() ? "" : ", ", module.text(module.values[one.root].name), one.bytes,
                        one.isGlobal ? " global" : "");
  return text.empty() ? "nothing" : text;
}

std::string shownFlops(const FlopsByType& flops) {
  std::string text;
  for (const auto& [type, count] : flops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, ir::name(type));
  return text.empty() ? "0" : text;
}

}  // namespace

std::vector<ir::CoverId> coversWithWork(const ir::Module& module) {
  std::vector<ir::CoverId> covers;
  for (const ir::CoverId id : module.coverIds())
    if (!module.cover(id).traceLabel.empty() || module.covers.size() == 1) covers.push_back(id);
  return covers;
}

std::string printKernelWork(const ir::Module& module, AnalysisManager& analyses) {
  std::string text;
  for (const ir::CoverId id : coversWithWork(module)) {
    const ir::Cover& cover = module.cover(id);
    const auto& work = analyses.get<KernelWork>(id);
    text += fmt::format("work of cover `{}`\n", cover.name);
    for (const ir::Kernel& kernel : cover.kernels) {
      const KernelWorkOf& does = work.of(kernel.id);
      text += fmt::format("  {}: ", kernelTitle(module, kernel));
      if (does.unknown)
        text += fmt::format("unknown, because {}\n", sentence(module, *does.unknown));
      else
        text +=
            fmt::format("reads {}; writes {}; matrix {}; vector {}\n", shownTraffic(module, does.reads),
                        shownTraffic(module, does.writes), shownFlops(does.matrixFlops), shownFlops(does.vectorFlops));
    }
  }
  return text;
}

}  // namespace amdahlc
