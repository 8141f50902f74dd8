// Before: kernels with shapes, types and times.   After: each kernel has its bytes, its operations and its least time.
//
//   MatMul [512, 1024] x [1024, 1024], float16     4.2 MB, 1.07 GFLOP; 1.25 us by memory, 1.09 us by operations: memory
//   Relu   [512, 1024], ran in 0.3 us              2.1 MB; 0.63 us by memory: faster than that, so a cache
//
// Declined: kernels with an operator or a shape that is not known. Their whole roofline is unknown, with the reason.

#include "passes/roofline/roofline_pass.h"

#include <fmt/format.h>

#include "passes/roofline/print_kernel_work.h"
#include "passes/roofline/report_roofline.h"
#include "passes/roofline/rooflines.h"
#include "support/plural.h"

namespace amdahlc {
namespace {

void warnAbovePeak(const ir::Module& module, const ir::Cover& cover, const RooflineFacet& facts,
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

RooflinePass::RooflinePass()
    : known_(statistic("known", "kernels whose work is known")),
      unknown_(statistic("unknown", "kernels with an operator, a shape or elements that are not known")),
      atRoof_(statistic("at-roof", "kernels at their roof")),
      fromCache_(statistic("from-cache", "kernels that ran faster than memory allows")),
      abovePeak_(statistic("above-peak", "kernels that ran faster than the peaks of the device allow")) {
  runsByDefault();
  needsInput(PassInput::Hardware);
  requiresFacet(ir::Facet::Fused);
  requiresFacetOfRuns(ir::Facet::Timed);
  establishesFacet(ir::Facet::Roofline);
  string("float32",
         {"Choose how products of float32 matrices count where the device can round them to TF32.",
          "`tf32` is the least time, `ieee` that without rounding."},
         float32_, {"tf32", "ieee"});
  hasOldSpelling("float32", "float32");
  printsAnalysis({KernelWork::kName, "bytes and operations of each kernel", ir::Facet::Fused, printKernelWork});
  reports(rooflineSection());
  documents(operatorTable);
}

PassResult RooflinePass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Roofline);
  const auto& graph = context.analyses.get<ir::OperatorGraph>();
  for (const ir::CoverId id : coversWithWork(module)) {
    ir::Cover& cover = module.cover(id);
    RooflineFacet facts = rooflineOf(module, graph, cover, context.analyses.get<KernelWork>(id),
                                     float32_ == "ieee" ? Float32Products::Ieee : Float32Products::Tf32);
    for (const ir::KernelId kernel : facts.kernels.ids()) {
      const KernelRoofline& row = facts.kernels[kernel];
      const KernelWorkOf& work = (*facts.work)[kernel];
      ++(work.isKnown() ? known_ : unknown_);
      atRoof_ += row.isAtRoof;
      fromCache_ += row.bound == KernelBound::Cache;
      abovePeak_ += row.isAbovePeak;
      if (!work.isKnown() && context.wants(RemarkKind::Missed))
        context.remark(
            RemarkKind::Missed,
            OnnxLocation{module.modelName, "", module.displayName(cover.kernels[kernel].anchor()), ""},
            fmt::format("kernel {} has no roofline, because {}", kernel.index(), sentence(module, *work.unknown)));
    }
    warnAbovePeak(module, cover, facts, context.diagnostics);
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Roofline);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
