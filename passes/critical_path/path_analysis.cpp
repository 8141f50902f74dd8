#include "passes/critical_path/path_analysis.h"

#include "ir/kernel_graph.h"

namespace amdahlc {
namespace {

IdVector<ir::KernelId, PathWeight> measuredWeights(const ir::Cover& cover) {
  IdVector<ir::KernelId, PathWeight> weights;
  for (const ir::Kernel& kernel : cover.kernels) weights.push_back(kernel.time ? kernel.time->totalNs : 0);
  return weights;
}

}  // namespace

PathAnalysis::PathAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
    : LongestPaths(module, module.cover(cover), analyses.get<ir::KernelGraph>(cover),
                   measuredWeights(module.cover(cover))) {}

}  // namespace amdahlc
