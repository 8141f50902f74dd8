// A larger batch: launches, and the reading of weights, are once for a batch, however many items it has.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "ir/facets/bound.h"
#include "ir/known_values.h"
#include "passes/advise/finders.h"
#include "passes/speedup_rewrite/work_factors.h"
#include "passes/timing/timing_analysis.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// A larger one saves more, and is further from what was measured.
constexpr int64_t kTimes = 2;
/// The least part of busy time that reads weights, of a run that is not replayed.
constexpr double kLeastOfWeights = 0.25;

constexpr std::string_view kRecurrent = "recurrent";
constexpr std::array<std::string_view, 4> kProductCategories = {"attention", "convolution", "gemm", kRecurrent};

bool isProduct(const AdvisedRun& run, ir::KernelId kernel) {
  const std::string category = ir::kernelCategory(run.module, run.cover.kernels[kernel]);
  return std::ranges::find(kProductCategories, category) != kProductCategories.end();
}

constexpr std::array<std::string_view, 4> kProducts = {"Conv", "ConvTranspose", "Gemm", "MatMul"};

/// Whether all inputs of the model begin with one dimension: a name, or a number. That of a recurrent model may be the
/// length of a sequence if nobody named it.
bool isBatchOfModel(const ir::Module& module, bool isRecurrent) {
  std::optional<ir::Dim> batch;
  for (const ir::ValueId input : module.graphs[ir::kMainGraph].inputs) {
    const ir::Type& type = module.values[input].type;
    if (!type.isTensor() || !type.ranked || type.dims.size() < 2 || type.dims.front().isUnknown()) return false;
    if (batch && *batch != type.dims.front()) return false;
    batch = type.dims.front();
  }
  return batch && (!batch->isNumber() || !isRecurrent);
}

/// What multiplies with a matrix of weights has the items of a batch in its first dimension; nothing says so of other
/// inputs of the calls of a program.
class BatchOfProgram {
 public:
  explicit BatchOfProgram(const AdvisedRun& run) : run_(run) {
    for (const ir::Kernel& kernel : run.cover.kernels) {
      // The products of a backward pass begin with other dimensions.
      const auto& phase = run.predicted().phases->ofKernel(kernel.id);
      if (phase && *phase != Phase::Forward && *phase != Phase::Other) continue;
      for (const ir::OpId op : kernel.ops) add(run.module.ops[op]);
    }
  }

  /// Empty if the first dimension is the batch, else why nobody knows that.
  std::string unknown() const {
    if (tensors_.empty() && rows_.empty()) {
      const std::string_view remedy = lacksShapes() ? run_.remedy(Remedy::RecordShapes) : "";
      return fmt::format("no product with weights has known shapes{}{}", remedy.empty() ? "" : ": ", remedy);
    }
    const std::set<int64_t>& firsts = tensors_.empty() ? rows_ : tensors_;
    if (firsts.size() > 1)
      return fmt::format("operands of products with weights begin with different dimensions, such as {} and {}",
                         *firsts.begin(), *firsts.rbegin());
    const auto other = std::ranges::find_if(rows_, [&](int64_t rows) { return rows % *firsts.begin() != 0; });
    if (other == rows_.end()) return {};
    return fmt::format("operands of products with weights begin with {0} and with {1}, which is no multiple of {0}",
                       *firsts.begin(), *other);
  }

 private:
  /// Whether the trace has the operators that launch products, and no shapes: a recorder can add those. Kernels of a
  /// launched graph have no operators.
  bool lacksShapes() const {
    if (!run_.timeline.host) return false;
    const HostFacts& host = *run_.timeline.host;
    if (std::ranges::any_of(host.operatorFacts, [](const OperatorFacts& one) { return !one.inputDims.empty(); }))
      return false;
    const std::vector<ir::KernelId> owners = ir::eventOwners(run_.timeline, *run_.cover.facets.get<ir::BoundFacet>());
    for (EventIndex event = 0; event < run_.timeline.size(); ++event)
      if (owners[event] != kUnboundOwner && !host.launchOp[event].isNone() && isProduct(run_, owners[event]))
        return true;
    return false;
  }

  void add(const ir::Op& op) {
    if (std::ranges::find(kProducts, run_.module.text(op.type)) == kProducts.end()) return;
    const auto isWeight = [&](ir::ValueId value) {
      return !value.isNone() && ir::isConstant(run_.module, run_.module.values[value]);
    };
    if (std::ranges::none_of(op.inputs, isWeight)) return;
    for (const ir::ValueId value : op.inputs) {
      if (value.isNone() || isWeight(value)) continue;
      const ir::Type& type = run_.module.values[value].type;
      if (type.isStatic() && type.dims.size() > 1 && type.dims.front().value > 0)
        (type.dims.size() > 2 ? tensors_ : rows_).insert(type.dims.front().value);
    }
  }

  const AdvisedRun& run_;
  /// The first dimensions of operands with more than two, and of matrices, which may have the other dimensions of an
  /// item in their rows.
  std::set<int64_t> tensors_, rows_;
};

class BatchFinder {
 public:
  explicit BatchFinder(const AdvisedRun& run) : run_(run) {}

  /// Without a replay nobody knows what else than the reading of weights is once for a batch: much of what a CPU does
  /// between operators is about memory, which grows with the batch.
  bool mayHelp() const {
    return run_.predicted().model != nullptr || run_.partOfBusy(static_cast<int64_t>(weightsNs())) >= kLeastOfWeights;
  }

  AdviceCandidate candidate() const {
    AdviceCandidate candidate;
    candidate.items = kTimes;
    ir::Change batch;
    batch.kind = ir::ChangeKind::Batch;
    batch.factor = Rational::of(kTimes);
    candidate.selector = ir::describe(batch);
    candidate.likely.push_back(std::move(batch));
    candidate.atMost = atMost();
    candidate.change = fmt::format("use a batch {} times as large: what it saves is for as many items as now", kTimes);
    candidate.why = whyOf();
    candidate.assumption =
        "the first dimension of the inputs is the batch, it fits in memory, and items can wait for one another; what a "
        "kernel computes, reads and writes grows with the batch, but for weights";
    if (run_.predicted().phases->times()[static_cast<size_t>(Phase::Backward)].events > 0)
      candidate.assumption += "; and training with it is as good";
    return candidate;
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
  const BatchFinder finder(run);
  if (!finder.mayHelp()) return;
  const bool isRecurrent = std::ranges::any_of(run.cover.kernels, [&](const ir::Kernel& kernel) {
    return ir::kernelCategory(run.module, kernel) == kRecurrent;
  });
  if (!run.module.isRecorded()) {
    if (isBatchOfModel(run.module, isRecurrent)) candidates.push_back(finder.candidate());
    return;
  }
  int64_t productsNs = 0;
  for (const ir::Kernel& kernel : run.cover.kernels)
    if (isProduct(run, kernel.id)) productsNs += run.timeOf(kernel.id);
  if (run.partOfBusy(productsNs) < kLeastShare) return;
  const std::string why = isRecurrent ? "a recurrent operator may have the length of a sequence in its first dimension"
                                      : BatchOfProgram(run).unknown();
  if (why.empty()) {
    candidates.push_back(finder.candidate());
  } else {
    run.notes.push_back("what a larger batch saves is not known, because " + why);
  }
}

}  // namespace amdahlc
