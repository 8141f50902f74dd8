// Before: kernels have times.                       After: each has its slack and whether it is on the path.
//
//   A(5) -> B(3) -> D(1)                              path A C D, 10 long; slack of B is 1
//   A(5) -> C(4) -> D(1)                              branches into D: via B 3, via C 4, both since A
//
// Weights are measured totals over the selected iterations. The weight of a kernel without events is 0, and that of a
// control-flow operator includes its bodies. The length of the path is a lower bound of the run time if all other
// kernels ran in parallel. It is not wall time, because it contains no idle time.

#include "passes/critical_path/critical_path_pass.h"

#include <fmt/format.h>

#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "passes/critical_path/branches.h"
#include "passes/critical_path/path_analysis.h"
#include "passes/critical_path/print_critical_path.h"
#include "passes/critical_path/report_critical_path.h"

namespace amdahlc {
namespace {

void debugBranches(const ir::Cover& cover, const std::vector<ir::Branch>& branches, PassContext& context) {
  const auto known = [](const std::optional<int64_t>& number) {
    return number ? fmt::format("{}", *number) : std::string("unknown");
  };
  for (const ir::Branch& branch : branches)
    context.debug(
        fmt::format("run `{}`, into {} via {}: kernels {}, path {} ns, sum {}{}", cover.name, branch.join.index(),
                    branch.via ? fmt::format("{}", branch.via->index()) : "input " + branch.viaInput,
                    known(branch.kernelCount), branch.pathNs, known(branch.sumNs), branch.sumNs ? " ns" : ""));
}

ir::CriticalPathFacet factsOf(const ir::Cover& cover, const LongestPaths& path, std::vector<ir::Branch> branches) {
  ir::CriticalPathFacet facts;
  facts.durationNs = static_cast<int64_t>(path.length());
  facts.path = path.path();
  facts.ties = path.ties();
  for (const ir::KernelId kernel : cover.kernels.ids())
    facts.kernels.push_back({path.critical(kernel), static_cast<int64_t>(path.slack(kernel))});
  facts.branches = std::move(branches);
  return facts;
}

}  // namespace

CriticalPathPass::CriticalPathPass()
    : pathKernels_(statistic("path-kernels", "kernels on the reported paths")),
      joins_(statistic("branches", "branches into joins that were measured")) {
  runsByDefault();
  printsAnalysis(
      {PathAnalysis::kName, "longest path, slack and weight of each kernel", ir::Facet::Timed, printCriticalPath});
  reports(criticalPathSection());
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::CriticalPath);
}

PassResult CriticalPathPass::run(ir::Module& module, PassContext& context) {
  bool changed = !module.has(ir::Facet::CriticalPath);
  for (const ir::CoverId id : module.coverIds()) {
    ir::Cover& cover = module.cover(id);
    if (!cover.facets.get<ir::TimedFacet>()) continue;
    const auto& graph = context.analyses.get<ir::KernelGraph>(id);
    const auto& path = context.analyses.get<PathAnalysis>(id);
    changed |= cover.facets.replace(factsOf(cover, path, findBranches(module, cover, graph, path.weights())));
    const auto& facts = *cover.facets.get<ir::CriticalPathFacet>();

    if (context.wantsDebug()) debugBranches(cover, facts.branches, context);
    pathKernels_ += static_cast<int64_t>(path.path().size());
    joins_ += static_cast<int64_t>(facts.branches.size());
    if (context.wants(RemarkKind::Analysis))
      for (ir::KernelId kernel : path.path())
        context.remark(
            RemarkKind::Analysis,
            OnnxLocation{module.modelName, "", module.displayName(cover.kernels[kernel].anchor()), ""},
            fmt::format("kernel {} is on the critical path of `{}`, {} ns of {} ns", kernel.index(), cover.name,
                        static_cast<int64_t>(path.weight(kernel)), static_cast<int64_t>(path.length())));
  }
  module.establish(ir::Facet::CriticalPath);
  if (!changed) return PassResult::unchanged();
  return PassResult::changed();
}

}  // namespace amdahlc
