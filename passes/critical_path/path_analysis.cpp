#include "passes/critical_path/path_analysis.h"

#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"

namespace amdahlc {
namespace {

IdVector<ir::KernelId, PathWeight> measuredWeights(const ir::Cover& cover) {
  IdVector<ir::KernelId, PathWeight> weights(cover.kernels.size(), 0);
  const auto& times = cover.facets.get<ir::TimedFacet>()->kernels;
  for (const ir::KernelId kernel : weights.ids()) weights[kernel] = times[kernel].totalNs;
  return weights;
}

}  // namespace

PathAnalysis::PathAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
    : LongestPaths(module, module.cover(cover), analyses.get<ir::KernelGraph>(cover),
                   measuredWeights(module.cover(cover))) {}

}  // namespace amdahlc
