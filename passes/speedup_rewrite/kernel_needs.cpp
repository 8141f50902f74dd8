#include "passes/speedup_rewrite/kernel_needs.h"

namespace amdahlc {
namespace {

/// Steps of all searches together. Where most kernels have no events, all searches together are quadratic.
constexpr int64_t kNeedSteps = 50'000'000;

class NeedSearch {
 public:
  NeedSearch(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& owners)
      : graph_(graph), hasEvents_(graph.size(), false), seen_(graph.size(), ir::KernelId()) {
    for (const ir::KernelId owner : owners)
      if (owner != kUnboundOwner) hasEvents_[owner] = true;
    found_.needs.resize(graph.size());
    found_.isKnown.resize(graph.size(), false);
  }

  KernelNeeds find() {
    for (const ir::KernelId kernel : hasEvents_.ids())
      if (hasEvents_[kernel]) found_.isKnown[kernel] = search(kernel);
    return std::move(found_);
  }

 private:
  /// Whether it is known what the kernel needs.
  bool search(ir::KernelId kernel) {
    bool isKnown = graph_.graphOf(kernel) == ir::kMainGraph && graph_.bodyKernels(kernel).empty();
    std::vector<ir::KernelId> open{kernel};
    while (!open.empty() && steps_ < kNeedSteps) {
      const ir::KernelId at = open.back();
      open.pop_back();
      for (const ir::KernelId before : graph_.predecessors(at)) {
        ++steps_;
        if (seen_[before] == kernel) continue;
        seen_[before] = kernel;
        if (!graph_.bodyKernels(before).empty()) isKnown = false;
        if (hasEvents_[before])
          found_.needs[kernel].push_back(before);
        else
          open.push_back(before);
      }
    }
    return isKnown && steps_ < kNeedSteps;
  }

  const ir::KernelGraph& graph_;
  IdVector<ir::KernelId, bool> hasEvents_;
  /// By kernel the last search that saw it.
  IdVector<ir::KernelId, ir::KernelId> seen_;
  KernelNeeds found_;
  int64_t steps_ = 0;
};

}  // namespace

KernelNeeds kernelNeeds(const ir::KernelGraph& graph, const std::vector<ir::KernelId>& owners) {
  return NeedSearch(graph, owners).find();
}

}  // namespace amdahlc
