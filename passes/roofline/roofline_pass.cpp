// Before: kernels with shapes, types and times.   After: each kernel has its bytes, its operations and its least time.
//
//   MatMul [512, 1024] x [1024, 1024], float16     4.2 MB, 1.07 GFLOP; 1.25 us by memory, 1.09 us by operations: memory
//   Relu   [512, 1024], ran in 0.3 us              2.1 MB; 0.63 us by memory: faster than that, so a cache
//
// Declined: kernels with an operator or a shape that is not known. Their whole roofline is unknown, with the reason.

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "passes/manager/showing_pass.h"
#include "passes/roofline/roofline_analysis.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

std::string describeTraffic(const ir::Module& module, const std::vector<TensorTraffic>& traffic) {
  std::string text;
  for (const TensorTraffic& one : traffic)
    text += fmt::format("{}`{}` {}{}", text.empty() ? "" : ", ", module.text(module.values[one.root].name), one.bytes,
                        one.isGlobal ? " global" : "");
  return text.empty() ? "nothing" : text;
}

std::string describeFlops(const FlopsByType& flops) {
  std::string text;
  for (const auto& [type, count] : flops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, ir::name(type));
  return text.empty() ? "0" : text;
}

std::string printKernelWork(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& work = analyses.get<KernelWork>(id);
  std::string text = fmt::format("work of cover `{}`\n", cover.name);
  for (const ir::Kernel& kernel : cover.kernels) {
    const KernelWorkOf& does = work.of(kernel.id);
    text += fmt::format("  {}: ", kernelTitle(module, kernel));
    if (does.unknown)
      text += fmt::format("unknown, because {}\n", describe(*does.unknown));
    else
      text += fmt::format("reads {}; writes {}; matrix {}; vector {}\n", describeTraffic(module, does.reads),
                          describeTraffic(module, does.writes), describeFlops(does.matrixFlops),
                          describeFlops(does.vectorFlops));
  }
  return text;
}

void warnAbovePeak(const ir::Module& module, const ir::Cover& cover, const RooflineAnalysis& facts,
                   DiagnosticEngine& diagnostics) {
  int64_t count = 0;
  const ir::Kernel* first = nullptr;
  for (const ir::KernelId id : facts.kernels.ids()) {
    if (!facts.kernels[id].isAbovePeak) continue;
    ++count;
    if (first == nullptr) first = &cover.kernels[id];
  }
  if (first == nullptr) return;
  diagnostics.warning(
      DiagId::FasterThanPeak, OnnxLocation{module.modelName, "", module.displayName(first->anchor()), ""},
      fmt::format("{} of run `{}` ran faster than the peak of {}; the description of the hardware or the binding is "
                  "wrong, or the run computed in a narrower type than the model{}",
                  plural(count, "kernel"), cover.name, facts.hardware->name, count > 1 ? "; this is the first" : ""));
}

}  // namespace

class RooflinePass : public ShowingPass<RooflineAnalysis> {
 public:
  RooflinePass() {
    runsByDefault();
    needsInput(PassInput::Hardware);
    requiresFacet(ir::Facet::Fused);
    requiresFacetOfRuns(ir::Facet::Timed);
    string("float32",
           {"Choose how products of float32 matrices count where the device can round them to TF32.",
            "`tf32` is the least time, `ieee` that without rounding."},
           float32_, {"tf32", "ieee"});
    hasOldSpelling("float32", "float32");
    printsAnalysis({KernelWork::kName, "bytes and operations of each kernel", ir::Facet::Fused, printKernelWork});
    documents(operatorTable);
  }

 private:
  std::optional<RooflineAnalysis::Options> optionsFor(const ir::Module&, PassContext&) override {
    return RooflineAnalysis::Options{float32_ == "ieee" ? Float32Products::Ieee : Float32Products::Tf32};
  }

  void tell(const ir::Module& module, ir::CoverId id, const RooflineAnalysis& facts, PassContext& context) override {
    const ir::Cover& cover = module.cover(id);
    for (const ir::KernelId kernel : facts.kernels.ids()) {
      const KernelRoofline& row = facts.kernels[kernel];
      const KernelWorkOf& work = facts.work(kernel);
      ++(work.isKnown() ? known_ : unknown_);
      atRoof_ += row.isAtRoof;
      fromCache_ += row.bound == KernelBound::Cache;
      abovePeak_ += row.isAbovePeak;
      if (!work.isKnown() && context.wants(RemarkKind::Missed))
        context.remark(RemarkKind::Missed,
                       OnnxLocation{module.modelName, "", module.displayName(cover.kernels[kernel].anchor()), ""},
                       fmt::format("kernel {} has no roofline, because {}", kernel.index(), describe(*work.unknown)));
    }
    warnAbovePeak(module, cover, facts, context.diagnostics);
  }

  std::string float32_ = "tf32";
  int64_t& known_ = statistic("known", "kernels whose work is known");
  int64_t& unknown_ = statistic("unknown", "kernels with an operator, a shape or elements that are not known");
  int64_t& atRoof_ = statistic("at-roof", "kernels at their roof");
  int64_t& fromCache_ = statistic("from-cache", "kernels that ran faster than memory allows");
  int64_t& abovePeak_ = statistic("above-peak", "kernels that ran faster than the peaks of the device allow");
};

std::unique_ptr<Pass> makeRooflinePass() { return std::make_unique<RooflinePass>(); }

}  // namespace amdahlc
