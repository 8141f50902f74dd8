// Before: kernels have times.                       After: each has its slack and whether it is on the path.
//
//   A(5) -> B(3) -> D(1)                              path A C D, 10 long; slack of B is 1
//   A(5) -> C(4) -> D(1)                              branches into D: via B 3, via C 4, both since A
//
// Weights are reported times: medians over the selected iterations. The weight of a kernel without events is 0, and
// that of a control-flow operator includes its bodies. The length of the path is a lower bound of the run time if all
// other kernels ran in parallel. It is not wall time, because it contains no idle time.

#include <fmt/format.h>

#include <memory>

#include "ir/facets/critical_path.h"
#include "ir/facets/timed.h"
#include "ir/kernel_graph.h"
#include "passes/critical_path/branches.h"
#include "passes/critical_path/longest_paths.h"
#include "passes/manager/pass.h"
#include "passes/manager/stored_facts.h"

namespace amdahlc {
namespace {

std::string printCriticalPath(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses) {
  const ir::Cover& cover = module.cover(id);
  const auto& path = analyses.get<PathAnalysis>(id);
  std::string kernels;
  for (const ir::KernelId kernel : path.path()) kernels += fmt::format(" {}", kernel.index());
  std::string text = fmt::format("critical-path of cover `{}`: {} ns through{}; ties {}{}\n", cover.name,
                                 static_cast<int64_t>(path.length()), kernels,
                                 path.ties() < ir::kMaxTies ? "" : "at least ", path.ties());
  for (const ir::Kernel& kernel : cover.kernels)
    text += fmt::format("  {}: weight {} ns, slack {} ns{}\n", kernelTitle(module, kernel),
                        static_cast<int64_t>(path.weight(kernel.id)), static_cast<int64_t>(path.slack(kernel.id)),
                        path.critical(kernel.id) ? ", on the path" : "");
  return text;
}

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

class CriticalPathPass : public Pass {
 public:
  CriticalPathPass() {
    runsByDefault();
    printsAnalysis({PathAnalysis::kName, "longest path, slack and weight of each kernel", ir::Facet::Timed,
                    printCriticalPath, coversOfRuns});
    requiresFacet(ir::Facet::Timed);
    establishesFacet(ir::Facet::CriticalPath);
  }

  PassResult run(ir::Module& module, PassContext& context) override {
    return storeInRuns<ir::CriticalPathFacet>(module, [&](ir::CoverId id) {
      const ir::Cover& cover = module.cover(id);
      const auto& graph = context.analyses.get<ir::KernelGraph>(id);
      const auto& path = context.analyses.get<PathAnalysis>(id);
      ir::CriticalPathFacet facts = factsOf(cover, path, findBranches(module, cover, graph, path.weights()));
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
      return facts;
    });
  }

 private:
  int64_t& pathKernels_ = statistic("path-kernels", "kernels on the reported paths");
  int64_t& joins_ = statistic("branches", "branches into joins that were measured");
};

std::unique_ptr<Pass> makeCriticalPathPass() { return std::make_unique<CriticalPathPass>(); }

}  // namespace amdahlc
