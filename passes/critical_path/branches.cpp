#include "passes/critical_path/branches.h"

#include <algorithm>
#include <map>
#include <string>

#include "ir/dominators.h"
#include "passes/critical_path/region_sums.h"
#include "support/compressed_rows.h"

namespace amdahlc {
namespace {

using Vertex = ir::DominatorTree::Vertex;
constexpr Vertex kEntry = 0;

/// The flow graph of the main graph. Vertex 0 is the virtual entry, then come the inputs, then the kernels, so that the
/// order of numbers is topological. Side inputs are vertices without edges.
class Flow {
 public:
  Flow(const ir::KernelGraph& graph, size_t kernelCount) : vertexOfKernel_(kernelCount, kEntry) {
    collectVertices(graph, kernelCount);
    predecessors_.endRow();
    for (size_t i = 0; i < inputs_.size(); ++i) {
      predecessors_.append(kEntry);
      predecessors_.endRow();
    }
    for (const ir::KernelId kernel : kernels_) {
      const auto& inputs = graph.graphInputs(kernel);
      if (inputs.empty() && graph.predecessors(kernel).empty()) predecessors_.append(kEntry);
      for (const ir::ValueId input : inputs) {
        if (!isSide(input)) predecessors_.append(inputVertex_.at(input));
      }
      for (const ir::KernelId p : graph.predecessors(kernel)) predecessors_.append(vertexOfKernel_[p]);
      predecessors_.endRow();
    }
  }

  const std::vector<ir::KernelId>& kernels() const { return kernels_; }
  const FlowRows& predecessors() const { return predecessors_; }
  Vertex vertexOf(ir::KernelId kernel) const { return vertexOfKernel_[kernel]; }
  Vertex vertexOfInput(ir::ValueId input) const { return inputVertex_.at(input); }

  bool isInput(Vertex v) const { return v >= 1 && v <= inputs_.size(); }
  bool isKernel(Vertex v) const { return v > inputs_.size(); }
  ir::ValueId inputOf(Vertex v) const { return inputs_[v - 1]; }
  ir::KernelId kernelOf(Vertex v) const { return kernels_[v - 1 - inputs_.size()]; }
  /// Whether every kernel that uses the input has another kernel before it.
  bool isSide(ir::ValueId input) const { return !startsWith_.at(input); }

 private:
  void collectVertices(const ir::KernelGraph& graph, size_t kernelCount) {
    for (const ir::KernelId kernel : IdRange<ir::KernelId>(0, kernelCount)) {
      if (graph.graphOf(kernel) != ir::kMainGraph) continue;
      kernels_.push_back(kernel);
      for (const ir::ValueId input : graph.graphInputs(kernel)) {
        inputVertex_[input] = kEntry;
        startsWith_[input] = startsWith_[input] || graph.predecessors(kernel).empty();
      }
    }
    for (auto& [input, vertex] : inputVertex_) {
      inputs_.push_back(input);
      vertex = static_cast<Vertex>(inputs_.size());
    }
    for (size_t i = 0; i < kernels_.size(); ++i)
      vertexOfKernel_[kernels_[i]] = static_cast<Vertex>(1 + inputs_.size() + i);
  }

  std::vector<ir::ValueId> inputs_;
  std::vector<ir::KernelId> kernels_;
  IdVector<ir::KernelId, Vertex> vertexOfKernel_;
  std::map<ir::ValueId, Vertex> inputVertex_;
  /// By input: whether some kernel has no kernel before it.
  std::map<ir::ValueId, bool> startsWith_;
  FlowRows predecessors_;
};

/// Measures branches. The cost of each is linear in the kernels that it lists, not in those that it contains.
class BranchMeasure {
 public:
  BranchMeasure(const Flow& flow, const IdVector<ir::KernelId, PathWeight>& weights)
      : flow_(flow),
        weights_(weights),
        tree_(static_cast<uint32_t>(flow.predecessors().size()), [&](Vertex v) { return flow.predecessors()[v]; }),
        sums_(tree_, flow.predecessors(), kernelWeights()),
        longest_(flow.predecessors().size(), 0),
        stamp_(flow.predecessors().size(), 0) {
    for (Vertex v = 1; v < tree_.size(); ++v) {
      for (const Vertex p : flow.predecessors()[v]) longest_[v] = std::max(longest_[v], longest_[p]);
      if (flow.isKernel(v)) longest_[v] += weights[flow.kernelOf(v)];
    }
  }

  Vertex immediateDominator(Vertex v) const { return tree_.immediateDominator(v); }

  /// Fills the sums over paths from `dominator` (excluded) to `last` (included).
  void measure(Vertex dominator, Vertex last, ir::Branch& branch) {
    // Every path to `last` goes through the dominator.
    branch.pathNs = static_cast<int64_t>(longest_[last] - longest_[dominator]);
    const bool complete = list(dominator, last, branch.kernels);
    if (const auto sum = sums_.between(dominator, last)) {
      branch.kernelCount = sum->count;
      branch.sumNs = static_cast<int64_t>(sum->weight);
    } else if (complete) {
      PathWeight weight = 0;
      for (const ir::KernelId kernel : branch.kernels) weight += weights_[kernel];
      branch.kernelCount = static_cast<int64_t>(branch.kernels.size());
      branch.sumNs = static_cast<int64_t>(weight);
    }
  }

 private:
  /// The weight of each vertex in a sum: kernels count, inputs do not.
  std::vector<RegionSum> kernelWeights() const {
    std::vector<RegionSum> sums(flow_.predecessors().size());
    for (const ir::KernelId kernel : flow_.kernels()) sums[flow_.vertexOf(kernel)] = {weights_[kernel], 1};
    return sums;
  }

  /// Lists the last kernels of a branch, ascending, up to the limit. Returns whether these are all.
  bool list(Vertex dominator, Vertex last, std::vector<ir::KernelId>& kernels) {
    ++current_;
    queue_.clear();
    enter(last, dominator);
    bool complete = true;
    while (!queue_.empty()) {
      const Vertex v = queue_.front();
      std::pop_heap(queue_.begin(), queue_.end());
      queue_.pop_back();
      if (!flow_.isKernel(v)) continue;
      if (kernels.size() == kMaxListedKernels) {
        complete = false;
        break;
      }
      kernels.push_back(flow_.kernelOf(v));
      // Predecessors ascend, and only the last few can be listed.
      const auto before = flow_.predecessors()[v];
      const size_t most = kMaxListedKernels + 1;
      for (const Vertex p : before.last(std::min(most, before.size()))) enter(p, dominator);
    }
    std::reverse(kernels.begin(), kernels.end());
    return complete;
  }

  void enter(Vertex v, Vertex dominator) {
    if (v == dominator || stamp_[v] == current_) return;
    stamp_[v] = current_;
    queue_.push_back(v);
    std::push_heap(queue_.begin(), queue_.end());
  }

  const Flow& flow_;
  const IdVector<ir::KernelId, PathWeight>& weights_;
  ir::DominatorTree tree_;
  RegionSums sums_;
  /// Longest path from the entry to the vertex, included.
  std::vector<PathWeight> longest_;
  /// By vertex: the number of the last list that visited it.
  std::vector<uint32_t> stamp_;
  /// A heap, highest first.
  std::vector<Vertex> queue_;
  uint32_t current_ = 0;
};

}  // namespace

std::vector<ir::Branch> findBranches(const ir::Module& module, const ir::Cover& cover, const ir::KernelGraph& graph,
                                     const IdVector<ir::KernelId, PathWeight>& weights) {
  const Flow flow(graph, cover.kernels.size());
  BranchMeasure measure(flow, weights);
  const auto inputName = [&](ir::ValueId input) { return std::string(module.text(module.values[input].name)); };

  std::vector<ir::Branch> branches;
  for (const ir::KernelId join : flow.kernels()) {
    const auto& inputs = graph.graphInputs(join);
    const auto kernels = graph.predecessors(join);
    if (inputs.size() + kernels.size() < 2) continue;
    const Vertex dominator = measure.immediateDominator(flow.vertexOf(join));
    const auto add = [&](Vertex from) -> ir::Branch& {
      ir::Branch& branch = branches.emplace_back();
      branch.join = join;
      if (flow.isKernel(from)) branch.from = flow.kernelOf(from);
      if (flow.isInput(from)) branch.fromInput = inputName(flow.inputOf(from));
      return branch;
    };
    for (const ir::ValueId input : inputs) {
      const Vertex way = flow.vertexOfInput(input);
      const Vertex from = flow.isSide(input) ? way : dominator;
      ir::Branch& branch = add(from);
      branch.viaInput = inputName(input);
      measure.measure(from, way, branch);
    }
    for (const ir::KernelId kernel : kernels) {
      ir::Branch& branch = add(dominator);
      branch.via = kernel;
      measure.measure(dominator, flow.vertexOf(kernel), branch);
    }
  }
  return branches;
}

}  // namespace amdahlc
