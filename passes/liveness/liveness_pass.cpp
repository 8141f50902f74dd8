// Before: kernels have an order and times.           After: each tensor has its life, and each position its live bytes.
//
//   position      0    1    2    3    4
//   x            rd   rd                                birth 0, death 2
//   y                 wr             rd                 birth 1, death 5, inactive 2 to 4
//   weight       rd             rd                      global, inactive 1 to 3 and, around the end, 4 to 0
//
// Tensors are values of the model: where the runtime reuses memory in place is not known from ONNX.

#include "passes/liveness/liveness_pass.h"

#include <fmt/format.h>

#include "ir/facets/timed.h"
#include "passes/liveness/figures.h"
#include "passes/liveness/liveness_analysis.h"
#include "passes/liveness/liveness_facet.h"
#include "passes/liveness/print_liveness.h"
#include "passes/liveness/report_liveness.h"

namespace amdahlc {
namespace {

// Of memory on a device; no way to another memory is faster.
constexpr int64_t kMostBytesPerS = 100'000'000'000'000;

int64_t iterationsOf(const ir::Cover& cover) {
  const auto* timed = cover.facets.get<ir::TimedFacet>();
  return timed != nullptr && timed->run.iterations > 0 ? timed->run.iterations : 1;
}

std::vector<NamedDocument> writeLiveness(const OutputContext& context, ir::CoverId id) {
  const ir::Cover& cover = context.module.cover(id);
  const auto& facts = *cover.facets.get<LivenessFacet>();
  const FigureInput input{context.module, cover, *facts.liveness, iterationsOf(cover)};
  return {{"memory.svg", memoryFigure(input)}, {"inactive_periods.svg", periodFigure(input, facts.bytesPerS)}};
}

}  // namespace

LivenessPass::LivenessPass()
    : tensors_(statistic("tensors", "tensors that some kernel of a schedule reads or writes")),
      periods_(statistic("inactive-periods", "periods in which a tensor waits for its next use")) {
  runsByDefault(DefaultUse::IfAskedFor);
  requiresFacet(ir::Facet::Fused);
  requiresFacetOfRuns(ir::Facet::Timed);
  establishesFacet(ir::Facet::Liveness);
  byteRate("offload-bandwidth",
           {"Set how fast tensors are moved to another memory and back.",
            "The default is what PCI Express 3.0 x16 carries in practice."},
           offloadBytesPerS_, kMostBytesPerS);
  hasOldSpelling("offload-bandwidth", "offload-bandwidth");
  enablesOutput({.name = "liveness",
                 .summary = "a folder with pictures of the liveness of tensors: memory over time, inactive periods",
                 .needs = ir::Facet::Liveness,
                 .writeDocuments = writeLiveness,
                 .isFolder = true,
                 .alsoWithoutTrace = true});
  printsAnalysis(
      {LivenessAnalysis::kName, "life, inactive periods and size of each tensor", ir::Facet::Fused, printLiveness});
  reports(livenessSection());
}

PassResult LivenessPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::Liveness);
  for (const ir::CoverId id : coversWithTensors(module)) {
    ir::Cover& cover = module.cover(id);
    LivenessFacet facts;
    facts.liveness = context.analyses.get<LivenessAnalysis>(id).share();
    facts.bytesPerS = offloadBytesPerS_;
    if (facts.liveness->isMeasured) {
      facts.offload = offloadCandidates(*facts.liveness, iterationsOf(cover), offloadBytesPerS_);
      facts.recompute = recomputeCandidates(*facts.liveness);
    }
    tensors_ += static_cast<int64_t>(facts.liveness->tensors.size());
    periods_ += static_cast<int64_t>(facts.liveness->periods.itemCount());
    if (context.wants(RemarkKind::Analysis) && facts.liveness->peak)
      context.remark(
          RemarkKind::Analysis,
          OnnxLocation{module.modelName, "",
                       module.displayName(cover.kernels[facts.liveness->kernels[*facts.liveness->peak]].anchor()), ""},
          fmt::format("{} bytes are live at this kernel, the peak of `{}`", facts.liveness->peakBytes(), cover.name));
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Liveness);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc
