#include "passes/liveness/print_liveness.h"

#include <fmt/format.h>

#include "passes/liveness/liveness_analysis.h"
#include "passes/liveness/tensor_text.h"
#include "passes/manager/analysis_printer.h"
#include "support/printable.h"

namespace amdahlc {

std::vector<ir::CoverId> coversWithTensors(const ir::Module& module) {
  std::vector<ir::CoverId> covers;
  for (const ir::CoverId id : module.coverIds())
    if (module.cover(id).traceLabel.empty() == module.timelines.empty()) covers.push_back(id);
  return covers;
}

std::string printLiveness(const ir::Module& module, AnalysisManager& analyses) {
  std::string text;
  for (const ir::CoverId id : coversWithTensors(module)) {
    const ir::Cover& cover = module.cover(id);
    const Liveness& facts = analyses.get<LivenessAnalysis>(id).liveness();
    text += fmt::format("liveness of cover `{}`: kernels {}, tensors {}, of unknown size {}, globals {} bytes\n",
                        cover.name, facts.kernels.size(), facts.tensors.size(), facts.unknownSizes, facts.globalBytes);
    for (SchedulePosition at = 0; at < facts.kernels.size(); ++at)
      text +=
          fmt::format("  {}: {}, {} ns, live {} bytes{}\n", at, kernelTitle(module, cover.kernels[facts.kernels[at]]),
                      facts.totalNs[at], facts.liveBytes[at], facts.peak == at ? ", the peak" : "");
    for (const TensorId tensor : facts.tensors.ids()) {
      const Tensor& at = facts.tensors[tensor];
      text += fmt::format("  tensor {} `{}`: {}", tensor.index(), printable(tensorName(module, at.value)),
                          at.bytes ? fmt::format("{} bytes", *at.bytes) : "size unknown");
      text += at.isGlobal ? ", global"
                          : fmt::format(", birth {}, death {}, live to {}", at.birth,
                                        at.death ? std::to_string(*at.death) : "-1", at.liveEnd);
      for (const InactivePeriod& period : facts.periods[tensor])
        text += fmt::format(", {}-{} {} ns", period.from, period.to, period.totalNs);
      text += "\n";
    }
  }
  return text;
}

}  // namespace amdahlc
