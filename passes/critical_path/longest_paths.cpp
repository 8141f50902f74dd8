#include "passes/critical_path/longest_paths.h"

#include <algorithm>
#include <limits>

#include "ir/facets/timed.h"

namespace amdahlc {

struct LongestPaths::GraphPath {
  PathWeight length = 0;
  std::vector<ir::KernelId> path;
  int64_t ties = 0;
};

namespace {

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

/// Longest path among `kernels` (ascending, hence in topological order: ids are Kahn ranks). Fills slack_. Boost's
/// `dag_shortest_paths` would sort the graph again for each set of weights, and has a single source.
LongestPaths::GraphPath LongestPaths::longestPath(const ir::KernelGraph& graph,
                                                  const std::vector<ir::KernelId>& kernels) {
  GraphPath result;
  if (kernels.empty()) return result;
  // Longest path from a start to the kernel, included.
  IdVector<ir::KernelId, PathWeight>& fromStart = fromStart_;

  for (ir::KernelId kernel : kernels) {
    PathWeight before = 0;
    for (ir::KernelId p : graph.predecessors(kernel)) before = std::max(before, fromStart[p]);
    fromStart[kernel] = before + weight_[kernel];
    result.length = std::max(result.length, fromStart[kernel]);
  }
  // Until the last line of the loop, slack_ is the longest path from the kernel (included) to an end.
  for (auto it = kernels.rbegin(); it != kernels.rend(); ++it) {
    PathWeight after = 0;
    for (ir::KernelId s : graph.successors(*it)) after = std::max(after, slack_[s]);
    slack_[*it] = after + weight_[*it];
  }
  for (ir::KernelId kernel : kernels)
    slack_[kernel] = result.length - (fromStart[kernel] + slack_[kernel] - weight_[kernel]);

  // The path goes from a kernel without predecessors to one without successors. Weights are not negative, so some
  // longest path does, and kernels of weight 0 at its ends belong to it.
  ir::KernelId current = ir::kNone;
  int64_t longestPaths = 0;
  for (ir::KernelId kernel : kernels) {
    const PathWeight before = fromStart[kernel] - weight_[kernel];
    for (ir::KernelId p : graph.predecessors(kernel))
      if (fromStart[p] == before) ways_[kernel] = saturatingAdd(ways_[kernel], ways_[p]);
    if (graph.predecessors(kernel).empty()) ways_[kernel] = 1;
    if (graph.successors(kernel).empty() && fromStart[kernel] == result.length) {
      longestPaths = saturatingAdd(longestPaths, ways_[kernel]);
      if (current == ir::kNone) current = kernel;
    }
  }
  result.ties = longestPaths - 1;
  while (current != ir::kNone) {
    result.path.push_back(current);
    const PathWeight before = fromStart[current] - weight_[current];
    ir::KernelId next = ir::kNone;
    for (ir::KernelId p : graph.predecessors(current)) {
      if (fromStart[p] != before) continue;
      next = p;
      break;
    }
    current = next;
  }
  std::reverse(result.path.begin(), result.path.end());
  return result;
}

LongestPaths::LongestPaths(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                           const IdVector<ir::KernelId, PathWeight>& weights)
    : weight_(graph.withBodies(weights)),
      slack_(cover.kernels.size(), 0),
      fromStart_(cover.kernels.size(), 0),
      ways_(cover.kernels.size(), 0),
      critical_(cover.kernels.size(), false) {
  IdVector<ir::GraphId, std::vector<ir::KernelId>> byGraph(module.graphs.size());
  for (const ir::KernelId kernel : cover.kernels.ids()) byGraph[graph.graphOf(kernel)].push_back(kernel);
  // A body has a higher graph id than the graph around it, so the operator's slack is known before its body needs it.
  for (const ir::GraphId g : byGraph.ids()) {
    GraphPath found = longestPath(graph, byGraph[g]);
    if (g == ir::kMainGraph) {
      length_ = found.length;
      path_ = std::move(found.path);
      ties_ = found.ties;
      continue;
    }
    const ir::OpId parentOp = module.graphs[g].parent;
    const ir::KernelId parent = parentOp == ir::kNone ? ir::KernelId(ir::kNone) : graph.kernelOf(parentOp);
    if (parent == ir::kNone) continue;
    for (ir::KernelId kernel : byGraph[g]) slack_[kernel] += slack_[parent];
  }
  for (ir::KernelId kernel : path_) critical_[kernel] = true;
}

PathAnalysis::PathAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
    : LongestPaths(module, module.cover(cover), analyses.get<ir::KernelGraph>(cover), [&] {
        IdVector<ir::KernelId, PathWeight> weights;
        for (const ir::KernelTime& time : module.cover(cover).facets.get<ir::TimedFacet>()->kernels)
          weights.push_back(time.reportedNs);
        return weights;
      }()) {}

}  // namespace amdahlc
