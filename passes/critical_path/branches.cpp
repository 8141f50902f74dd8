#include "passes/critical_path/branches.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <map>

namespace amdahlc {
namespace {

using FlowGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
using Vertex = FlowGraph::vertex_descriptor;

/// The main graph's kernels and inputs as a flow graph: vertex 0 is the virtual entry, then the inputs, then the kernels, so that vertex order is
/// topological.
struct Flow {
  FlowGraph graph;
  std::vector<ir::ValueId> inputs;
  std::vector<ir::KernelId> kernels;
  IdVector<ir::KernelId, Vertex> vertexOfKernel;
  std::vector<Vertex> idom;

  bool isInput(Vertex v) const { return v >= 1 && v <= inputs.size(); }
  bool isKernel(Vertex v) const { return v > inputs.size(); }
  ir::ValueId inputOf(Vertex v) const { return inputs[v - 1]; }
  ir::KernelId kernelOf(Vertex v) const { return kernels[v - 1 - inputs.size()]; }
};

Flow buildFlow(const ir::KernelGraph& kernels, size_t kernelCount) {
  Flow flow;
  std::map<ir::ValueId, Vertex> inputVertex;
  for (const ir::KernelId kernel : IdRange<ir::KernelId>(0, kernelCount)) {
    if (kernels.graphOf(kernel) != ir::kMainGraph) continue;
    flow.kernels.push_back(kernel);
    for (ir::ValueId input : kernels.graphInputs(kernel)) inputVertex[input] = 0;
  }
  for (auto& [input, vertex] : inputVertex) {
    flow.inputs.push_back(input);
    vertex = flow.inputs.size();
  }
  flow.graph = FlowGraph(1 + flow.inputs.size() + flow.kernels.size());
  flow.vertexOfKernel.assign(kernelCount, 0);
  for (size_t i = 0; i < flow.kernels.size(); ++i) flow.vertexOfKernel[flow.kernels[i]] = 1 + flow.inputs.size() + i;

  for (Vertex v = 1; v <= flow.inputs.size(); ++v) add_edge(0, v, flow.graph);
  for (ir::KernelId kernel : flow.kernels) {
    const Vertex v = flow.vertexOfKernel[kernel];
    for (ir::ValueId input : kernels.graphInputs(kernel)) add_edge(inputVertex[input], v, flow.graph);
    for (ir::KernelId p : kernels.predecessors(kernel)) add_edge(flow.vertexOfKernel[p], v, flow.graph);
    if (in_degree(v, flow.graph) == 0) add_edge(0, v, flow.graph);
  }

  flow.idom.assign(num_vertices(flow.graph), FlowGraph::null_vertex());
  boost::lengauer_tarjan_dominator_tree(
      flow.graph, Vertex{0},
      boost::make_iterator_property_map(flow.idom.begin(), get(boost::vertex_index, flow.graph)));
  return flow;
}

/// Collects the kernels between a dominator and a predecessor of its join, with their longest path. One instance serves all branches: marks are
/// stamps, so that a branch costs what it contains.
class Between {
 public:
  Between(const Flow& flow, const IdVector<ir::KernelId, PathWeight>& weights)
      : flow_(flow), weights_(weights), stamp_(num_vertices(flow.graph), 0), longest_(num_vertices(flow.graph), 0) {}

  /// Fills `branch.kernels`, `pathNs` and `sumNs` with what lies on paths from `dominator` (excluded) to `last` (included).
  void measure(Vertex dominator, Vertex last, ir::Branch& branch) {
    ++current_;
    members_.clear();
    if (last != dominator) collect(dominator, last);
    std::sort(members_.begin(), members_.end());  // vertex order is topological
    PathWeight path = 0, sum = 0;
    for (Vertex v : members_) {
      PathWeight before = 0;
      for (auto [e, end] = in_edges(v, flow_.graph); e != end; ++e) {
        const Vertex p = source(*e, flow_.graph);
        if (p != dominator && stamp_[p] == current_) before = std::max(before, longest_[p]);
      }
      const PathWeight weight = flow_.isKernel(v) ? weights_[flow_.kernelOf(v)] : 0;
      longest_[v] = before + weight;
      path = std::max(path, longest_[v]);
      sum += weight;
      if (flow_.isKernel(v)) branch.kernels.push_back(flow_.kernelOf(v));
    }
    branch.pathNs = static_cast<int64_t>(path);
    branch.sumNs = static_cast<int64_t>(sum);
  }

 private:
  /// Everything above `last` up to the dominator: the dominator is on every path from the entry, so walking back cannot leave the region.
  void collect(Vertex dominator, Vertex last) {
    std::vector<Vertex> pending{last};
    stamp_[last] = current_;
    while (!pending.empty()) {
      const Vertex v = pending.back();
      pending.pop_back();
      if (v != 0) members_.push_back(v);
      for (auto [e, end] = in_edges(v, flow_.graph); e != end; ++e) {
        const Vertex p = source(*e, flow_.graph);
        if (p == dominator || stamp_[p] == current_) continue;
        stamp_[p] = current_;
        pending.push_back(p);
      }
    }
  }

  const Flow& flow_;
  const IdVector<ir::KernelId, PathWeight>& weights_;
  std::vector<uint32_t> stamp_;
  std::vector<PathWeight> longest_;
  std::vector<Vertex> members_;
  uint32_t current_ = 0;
};

}  // namespace

std::vector<ir::Branch> findBranches(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                                     const IdVector<ir::KernelId, PathWeight>& weights) {
  const Flow flow = buildFlow(graph, cover.kernels.size());
  auto inputName = [&](Vertex v) { return std::string(module.text(module.values[flow.inputOf(v)].name)); };

  Between between(flow, weights);
  std::vector<ir::Branch> branches;
  for (ir::KernelId join : flow.kernels) {
    const Vertex v = flow.vertexOfKernel[join];
    if (in_degree(v, flow.graph) < 2) continue;
    std::vector<Vertex> ways;
    for (auto [e, end] = in_edges(v, flow.graph); e != end; ++e) ways.push_back(source(*e, flow.graph));
    std::sort(ways.begin(), ways.end());
    const Vertex dominator = flow.idom[v];
    for (Vertex way : ways) {
      ir::Branch branch;
      branch.join = join;
      if (flow.isKernel(dominator)) branch.from = flow.kernelOf(dominator);
      if (flow.isInput(dominator)) branch.fromInput = inputName(dominator);
      if (flow.isKernel(way)) branch.via = flow.kernelOf(way);
      if (flow.isInput(way)) branch.viaInput = inputName(way);
      between.measure(dominator, way, branch);
      branches.push_back(std::move(branch));
    }
  }
  return branches;
}

}  // namespace amdahlc
