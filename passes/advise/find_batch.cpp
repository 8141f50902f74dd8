// A larger batch: launches, and the reading of weights, are once for a batch, however many items it has.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "passes/advise/finders.h"
#include "passes/speedup_rewrite/work_factors.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A larger one saves more, and is further from what was measured.
constexpr int64_t kTimes = 2;
/// The least part of busy time that reads weights, of a run that is not replayed.
constexpr double kLeastOfWeights = 0.25;

/// Whether all inputs of the model begin with one dimension: a name, or a number. That of a recurrent model may be the
/// length of a sequence if nobody named it.
bool isBatchKnown(const ir::Module& module) {
  if (module.isRecorded()) return false;
  std::optional<ir::Dim> batch;
  for (const ir::ValueId input : module.graphs[ir::kMainGraph].inputs) {
    const ir::Type& type = module.values[input].type;
    if (!type.isTensor() || !type.ranked || type.dims.size() < 2 || type.dims.front().isUnknown()) return false;
    if (batch && *batch != type.dims.front()) return false;
    batch = type.dims.front();
  }
  if (!batch) return false;
  const std::set<std::string_view> recurrent = {"LSTM", "GRU", "RNN"};
  return !batch->isNumber() ||
         std::ranges::none_of(module.ops, [&](const ir::Op& op) { return recurrent.contains(module.text(op.type)); });
}

class BatchFinder {
 public:
  explicit BatchFinder(const AdvisedRun& run) : run_(run) {}

  void find(std::vector<AdviceCandidate>& candidates) {
    // Without a replay nobody knows what else than the reading of weights is once for a batch: much of what a CPU does
    // between operators is about memory, which grows with the batch.
    if (run_.predicted().model == nullptr && run_.partOfBusy(static_cast<int64_t>(weightsNs())) < kLeastOfWeights)
      return;
    AdviceCandidate candidate;
    candidate.items = kTimes;
    ir::Change batch;
    batch.kind = ir::ChangeKind::Batch;
    batch.factor = Rational::of(kTimes);
    candidate.selector = ir::describe(batch);
    candidate.likely.push_back(std::move(batch));
    // Without a replay, the idle time that the prediction divides may be of each item.
    if (run_.predicted().model != nullptr) candidate.certain = certain();
    candidate.atMost = atMost();
    candidate.change = fmt::format("use a batch {} times as large: what it saves is for as many items as now", kTimes);
    candidate.why = whyOf();
    candidate.assumption =
        "the first dimension of the inputs is the batch, it fits in memory, and items can wait for one another; what a "
        "kernel computes, reads and writes grows with the batch, but for weights";
    candidates.push_back(std::move(candidate));
  }

 private:
  /// Of one run of a kernel, in ns at the bandwidth of memory.
  double weightsNs(ir::KernelId kernel) const {
    if (!run_.predicted().isDescribed() || !run_.roofline->kernels[kernel].runs) return 0;
    int64_t bytes = 0;
    for (const TensorTraffic& one : run_.roofline->work(kernel).reads)
      if (one.isGlobal && !one.isPart) bytes += one.bytes;
    return static_cast<double>(bytes) * 1e9 / static_cast<double>(run_.roofline->hardware->memoryBytesPerS) *
           *run_.roofline->kernels[kernel].runs;
  }

  /// All work takes as many times as long, but for the traffic of weights.
  std::vector<ir::Change> certain() const {
    std::vector<ir::Change> changes(1);
    changes.front().selectors.push_back({ir::SelectorKind::Device, ""});
    changes.front().factor = Rational::of(kTimes);
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      const auto timeNs = static_cast<double>(run_.timeOf(kernel.id));
      const double savedNs = std::min(timeNs, weightsNs(kernel.id));
      if (savedNs > 0) changes.push_back(run_.newTime(kernel.id, kTimes * timeNs - (kTimes - 1) * savedNs));
    }
    return changes;
  }

  /// No kernel takes longer, unless its roof says so.
  std::vector<ir::Change> atMost() const {
    std::vector<ir::Change> changes;
    if (!run_.predicted().isDescribed()) return changes;
    const WorkFactors factors(*run_.roofline, Rational::of(kTimes));
    for (const ir::Kernel& kernel : run_.cover.kernels) {
      const auto timeNs = static_cast<double>(run_.timeOf(kernel.id));
      const double leastNs = static_cast<double>(factors.leastNs({&kernel.id, 1}, factors.fused({&kernel.id, 1})));
      if (timeNs > 0 && leastNs > timeNs)
        changes.push_back(run_.newTime(kernel.id, std::min(leastNs, kTimes * timeNs)));
    }
    return changes;
  }

  std::string whyOf() const {
    const auto ns = static_cast<int64_t>(weightsNs());
    const std::string weights =
        fmt::format("reading weights, at least {} of busy time,", formatPercent(run_.partOfBusy(ns)));
    if (run_.predicted().model == nullptr) return weights + " is once for a batch";
    return ns > 0 ? fmt::format("launches are once for a batch, and so is {}", weights.substr(0, weights.size() - 1))
                  : "launches are once for a batch";
  }

  /// Of all kernels, over the reported iterations.
  double weightsNs() const {
    double ns = 0;
    for (const ir::Kernel& kernel : run_.cover.kernels)
      ns += std::min(static_cast<double>(run_.timeOf(kernel.id)), weightsNs(kernel.id));
    return ns;
  }

  const AdvisedRun& run_;
};

}  // namespace

void findBatch(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (isBatchKnown(run.module)) BatchFinder(run).find(candidates);
}

}  // namespace amdahlc
