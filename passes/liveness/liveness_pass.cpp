// Before: kernels have an order and times.           After: each tensor has its life, and each position its live bytes.
//
//   position      0    1    2    3    4
//   x            rd   rd                                birth 0, death 2
//   y                 wr             rd                 birth 1, death 5, inactive 2 to 4
//   weight       rd             rd                      global, inactive 1 to 3 and, around the end, 4 to 0
//
// Tensors are values of the model: where the runtime reuses memory in place is not known from ONNX. Of a program they
// are storages, which its execution trace states.

#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "passes/liveness/liveness_analysis.h"
#include "passes/manager/showing_pass.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

std::string printLiveness(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const Liveness& facts = analyses.get<LivenessAnalysis>(id).liveness;
  std::string text =
      fmt::format("liveness of cover `{}`: kernels {}, tensors {}, of unknown size {}, globals {} bytes\n", cover.name,
                  facts.kernels.size(), facts.tensors.size(), facts.unknownSizes, facts.globalBytes);
  for (SchedulePosition at = 0; at < facts.kernels.size(); ++at)
    text += fmt::format("  {}: {}, {} ns, live {} bytes{}\n", at, kernelTitle(module, cover.kernels[facts.kernels[at]]),
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
  return text;
}

// Of memory on a device; no way to another memory is faster.
constexpr int64_t kMostBytesPerS = 100'000'000'000'000;

}  // namespace

class LivenessPass : public ShowingPass<LivenessAnalysis> {
 public:
  LivenessPass() {
    runsByDefault(DefaultUse::IfAskedFor);
    requiresFacet(ir::Facet::Fused);
    requiresFacetOfRuns(ir::Facet::Timed);
    byteRate("offload-bandwidth",
             {"Set how fast tensors are moved to another memory and back.",
              "The default is what PCI Express 3.0 x16 carries in practice."},
             options_.offloadBytesPerS, kMostBytesPerS);
    hasOldSpelling("offload-bandwidth", "offload-bandwidth");
    printsAnalysis(
        {LivenessAnalysis::kName, "life, inactive periods and size of each tensor", ir::Facet::Fused, printLiveness});
  }

 private:
  std::optional<LivenessAnalysis::Options> optionsFor(const ir::Module& module, PassContext& context) override {
    if (!module.isRecorded() || !module.storages.empty()) return options_;
    context.diagnostics.error(
        DiagId::OptionConflict, FileLocation{module.modelName},
        module.hasDataEdges() && module.timelines.size() == 1
            ? "the lives of tensors are not known of a program in an ONNX file, which does not say which values share "
              "memory; give the trace and its execution trace without it"
        : module.hasDataEdges()
            ? "the lives of tensors are known of a program of one run, because the memory of several runs is not one; "
              "give one trace with its execution trace"
            : "the lives of tensors are not known of a program without data, whose values share memory: views, and "
              "what is written in place; give the execution trace of the run, or its model");
    return std::nullopt;
  }
  void tell(const ir::Module& module, ir::CoverId id, const LivenessAnalysis& facts, PassContext& context) override {
    const Liveness& liveness = facts.liveness;
    tensors_ += static_cast<int64_t>(liveness.tensors.size());
    periods_ += static_cast<int64_t>(liveness.periods.itemCount());
    if (!context.wants(RemarkKind::Analysis) || !liveness.peak) return;
    const ir::Cover& cover = module.cover(id);
    context.remark(RemarkKind::Analysis,
                   OnnxLocation{module.modelName, "",
                                module.displayName(cover.kernels[liveness.kernels[*liveness.peak]].anchor()), ""},
                   fmt::format("{} bytes are live at this kernel, the peak of `{}`", liveness.peakBytes(), cover.name));
  }

  LivenessAnalysis::Options options_;
  int64_t& tensors_ = statistic("tensors", "tensors that some kernel of a schedule reads or writes");
  int64_t& periods_ = statistic("inactive-periods", "periods in which a tensor waits for its next use");
};

std::unique_ptr<Pass> makeLivenessPass() { return std::make_unique<LivenessPass>(); }

}  // namespace amdahlc
