#include "passes/critical_path/print_critical_path.h"

#include <fmt/format.h>

#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "passes/critical_path/path_analysis.h"
#include "passes/manager/analysis_printer.h"

namespace amdahlc {

std::string printCriticalPath(const ir::Module& module, AnalysisManager& analyses) {
  std::string text;
  for (const ir::CoverId id : module.coverIds()) {
    const ir::Cover& cover = module.cover(id);
    if (!cover.facets.get<ir::TimedFacet>()) continue;
    const auto& path = analyses.get<PathAnalysis>(id);
    std::string kernels;
    for (const ir::KernelId kernel : path.path()) kernels += fmt::format(" {}", kernel.index());
    text += fmt::format("critical-path of cover `{}`: {} ns through{}; ties {}{}\n", cover.name,
                        static_cast<int64_t>(path.length()), kernels, path.ties() < ir::kMaxTies ? "" : "at least ",
                        path.ties());
    for (const ir::Kernel& kernel : cover.kernels)
      text += fmt::format("  {}: weight {} ns, slack {} ns{}\n", kernelTitle(module, kernel),
                          static_cast<int64_t>(path.weight(kernel.id)), static_cast<int64_t>(path.slack(kernel.id)),
                          path.critical(kernel.id) ? ", on the path" : "");
  }
  return text;
}

}  // namespace amdahlc
