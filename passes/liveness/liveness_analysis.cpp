#include "passes/liveness/liveness_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "ir/facets/bound.h"
#include "ir/facets/timed.h"
#include "ir/kernel_accesses.h"
#include "ir/tensor_roots.h"
#include "passes/roofline/run_shapes.h"

namespace amdahlc {
namespace {

using ir::KernelId;
using ir::ValueId;

/// Sums of sizes that a model states may need more than 64 bits.
using ByteSum = __int128;

int64_t atMost64Bits(ByteSum bytes) {
  constexpr ByteSum kLargest = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(bytes, kLargest));
}

/// Computes the facts of one cover, step by step.
class Scan {
 public:
  Scan(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
      : module_(module),
        graph_(analyses.get<ir::OperatorGraph>()),
        cover_(module.cover(cover)),
        accesses_(analyses.get<ir::KernelAccesses>(cover)),
        shapes_(analyses.get<RunShapes>(cover)),
        bound_(cover_.facets.get<ir::BoundFacet>()) {}

  Liveness run() {
    facts_.isMeasured = bound_ != nullptr;
    orderKernels();
    renaming_ = renamingKernels(module_, cover_);
    if (module_.isRecorded())
      findRootsOfStorages();
    else
      findRootsOfValues();
    number_.resize(module_.values.size());
    for (SchedulePosition at = 0; at < facts_.kernels.size(); ++at) visit(at);
    facts_.uses = CompressedRows<TensorId, TensorUse>(facts_.tensors.size(), uses_);
    findLifetimes();
    findPeriods();
    addUpLiveBytes();
    return std::move(facts_);
  }

 private:
  bool hasEvents(KernelId kernel) const { return bound_ != nullptr && !bound_->kernels[kernel].events.empty(); }

  void orderKernels() {
    std::vector<std::pair<EventIndex, KernelId>> order;
    for (const KernelId kernel : cover_.kernels.ids()) {
      if (bound_ == nullptr)
        facts_.kernels.push_back(kernel);
      else if (hasEvents(kernel))
        order.emplace_back(bound_->kernels[kernel].events.front().event, kernel);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [event, kernel] : order) facts_.kernels.push_back(kernel);
    const auto* timed = cover_.facets.get<ir::TimedFacet>();
    for (const KernelId kernel : facts_.kernels)
      facts_.totalNs.push_back(timed != nullptr ? timed->kernels[kernel].reportedNs : 0);
  }

  void findRootsOfValues() {
    const ir::KernelHolders holders(module_, cover_.kernels);
    const ir::TensorRoots roots(module_, graph_, renamingOperators(graph_, holders, renaming_));
    root_.reserve(module_.values.size());
    for (const ValueId value : module_.values.ids()) root_.push_back(roots.of(value));
  }

  /// Values in one storage are one tensor. What is in none is no memory, and where a device has some, the memory of the
  /// host does not count.
  void findRootsOfStorages() {
    const bool hasDevice = !std::ranges::all_of(module_.storages, &ir::Storage::onHost);
    IdVector<ir::StorageId, ValueId> first(module_.storages.size());
    root_.resize(module_.values.size());
    const auto add = [&](ValueId value) {
      const ir::StorageId storage = module_.values[value].storage;
      if (storage.isNone() || (hasDevice && module_.storages[storage].onHost)) return;
      if (first[storage].isNone()) first[storage] = value;
      root_[value] = first[storage];
    };
    for (const KernelId kernel : facts_.kernels) {
      for (const ValueId value : accesses_.reads(kernel)) add(value);
      for (const ValueId value : accesses_.writes(kernel)) add(value);
      renaming_[kernel] = renaming_[kernel] || isView(kernel);
    }
  }

  /// Whether all that the kernel returns is memory that it reads, and that it does not write.
  bool isView(KernelId kernel) const {
    const auto writes = accesses_.writes(kernel), reads = accesses_.reads(kernel);
    return !writes.empty() && std::ranges::all_of(writes, [&](ValueId result) {
      const ir::Value& value = module_.values[result];
      return !value.storage.isNone() && !value.isWritten && std::ranges::any_of(reads, [&](ValueId operand) {
        return module_.values[operand].storage == value.storage;
      });
    });
  }

  TensorId tensorOf(ValueId root, SchedulePosition at) {
    TensorId& number = number_[root];
    if (!number.isNone()) return number;
    number = facts_.tensors.nextId();
    Tensor& tensor = facts_.tensors.emplace_back();
    tensor.value = root;
    tensor.birth = at;
    if (module_.isRecorded()) {
      const ir::Storage& storage = module_.storages[module_.values[root].storage];
      tensor.isGlobal = storage.isBefore && storage.isAfter;
      tensor.isBefore = storage.isBefore;
      tensor.bytes = storage.bytes;
      if (storage.isBefore) tensor.birth = 0;
    } else {
      tensor.isGlobal = tensor.isBefore = graph_.isConstant(root);
      if (const Amount bytes = shapes_.bytes(root); bytes.isKnown()) tensor.bytes = *bytes;
    }
    facts_.unknownSizes += !tensor.bytes;
    readAt_.push_back(kNever);
    writtenAt_.push_back(kNever);
    useAt_.push_back(0);
    return number;
  }

  void use(TensorId tensor, SchedulePosition at, bool reads) {
    IdVector<TensorId, SchedulePosition>& last = reads ? readAt_ : writtenAt_;
    if (last[tensor] == at) return;
    if (readAt_[tensor] != at && writtenAt_[tensor] != at) {
      useAt_[tensor] = uses_.size();
      uses_.emplace_back(tensor, TensorUse{at});
    }
    last[tensor] = at;
    (reads ? facts_.inputs : facts_.outputs).append(tensor);
    TensorUse& use = uses_[useAt_[tensor]].second;
    (reads ? use.reads : use.writes) = true;
  }

  void visit(SchedulePosition at) {
    const KernelId kernel = facts_.kernels[at];
    if (!renaming_[kernel]) {
      for (const ValueId value : accesses_.reads(kernel))
        if (const ValueId root = root_[value]; !root.isNone()) use(tensorOf(root, at), at, true);
      for (const ValueId value : accesses_.writes(kernel)) {
        const ValueId root = root_[value];
        if (root.isNone()) continue;
        const bool isView = module_.isRecorded() && !module_.values[value].isWritten;
        use(tensorOf(root, at), at, isView);
      }
    }
    facts_.inputs.endRow();
    facts_.outputs.endRow();
  }

  void findLifetimes() {
    const auto end = static_cast<SchedulePosition>(facts_.kernels.size());
    for (const TensorId id : facts_.tensors.ids()) {
      Tensor& tensor = facts_.tensors[id];
      for (const TensorUse& use : facts_.uses[id]) {
        if (use.reads) tensor.death = use.position + 1;
        tensor.liveEnd = use.position + 1;
      }
      if (module_.isRecorded())
        tensor.liveEnd = module_.storages[module_.values[tensor.value].storage].isAfter ? end : tensor.liveEnd;
      else
        tensor.isBefore |= !facts_.uses[id].front().writes;
    }
    // Every result of a program that no call uses is one of the graph; its storages tell what is there after it.
    if (module_.isRecorded()) return;
    for (const ValueId output : module_.graphs[ir::kMainGraph].outputs) {
      if (output.isNone()) continue;
      const TensorId tensor = number_[root_[output]];
      if (!tensor.isNone()) facts_.tensors[tensor].liveEnd = end;
    }
  }

  void findPeriods() {
    std::vector<int64_t> before{0};
    for (const int64_t ns : facts_.totalNs) before.push_back(before.back() + ns);
    const auto end = static_cast<SchedulePosition>(facts_.kernels.size());
    for (const TensorId id : facts_.tensors.ids()) {
      const auto uses = facts_.uses[id];
      for (size_t i = 1; i < uses.size(); ++i) {
        const SchedulePosition from = uses[i - 1].position + 1, to = uses[i].position;
        if (to > from) facts_.periods.append({from, to, before[to] - before[from]});
      }
      const SchedulePosition from = uses.back().position + 1, to = uses.front().position;
      if (facts_.tensors[id].isGlobal && (from < end || to > 0))
        facts_.periods.append({from, to, before[end] - before[from] + before[to]});
      facts_.periods.endRow();
    }
  }

  void addUpLiveBytes() {
    std::vector<ByteSum> change(facts_.kernels.size() + 1, 0);
    ByteSum globals = 0;
    for (const Tensor& tensor : facts_.tensors) {
      const ByteSum bytes = tensor.bytes.value_or(0);
      if (tensor.isGlobal) {
        globals += bytes;
      } else {
        change[tensor.birth] += bytes;
        change[tensor.liveEnd] -= bytes;
      }
    }
    facts_.globalBytes = atMost64Bits(globals);
    ByteSum live = globals, most = -1;
    for (SchedulePosition at = 0; at < facts_.kernels.size(); ++at) {
      live += change[at];
      facts_.liveBytes.push_back(atMost64Bits(live));
      if (live <= most) continue;
      most = live;
      facts_.peak = at;
    }
  }

  static constexpr SchedulePosition kNever = std::numeric_limits<SchedulePosition>::max();

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const ir::Cover& cover_;
  const ir::KernelAccesses& accesses_;
  const RunShapes& shapes_;
  /// Null for the default cover.
  const ir::BoundFacet* bound_;
  Liveness facts_;
  /// Kernels that only rename.
  IdVector<KernelId, bool> renaming_;
  /// By value: the one that names its tensor; none if it is in no tensor.
  IdVector<ValueId, ValueId> root_;
  /// By root: its tensor.
  IdVector<ValueId, TensorId> number_;
  std::vector<std::pair<TensorId, TensorUse>> uses_;
  /// By tensor: the last position that reads it, that writes it, and the number of its last use.
  IdVector<TensorId, SchedulePosition> readAt_, writtenAt_;
  IdVector<TensorId, size_t> useAt_;
};

}  // namespace

std::vector<TensorId> Liveness::localsAtPeak() const {
  std::vector<TensorId> live;
  if (!peak) return live;
  for (const TensorId tensor : tensors.ids())
    if (!tensors[tensor].isGlobal && isLive(tensor, *peak)) live.push_back(tensor);
  std::ranges::stable_sort(live, std::greater(), [&](TensorId tensor) { return tensors[tensor].bytes.value_or(-1); });
  return live;
}

LivenessAnalysis::LivenessAnalysis(const ir::Module& module, ir::CoverId id, AnalysisManager& analyses)
    : liveness(Scan(module, id, analyses).run()),
      measured(measuredMemory(module, module.cover(id), liveness)),
      bytesPerS(analyses.options<LivenessAnalysis>().offloadBytesPerS),
      iterations(1) {
  if (const auto* timed = module.cover(id).facets.get<ir::TimedFacet>()) iterations = timed->run.reportedIterations();
  if (!liveness.isMeasured) return;
  offload = offloadCandidates(liveness, iterations, bytesPerS);
  recompute = recomputeCandidates(liveness);
}

std::string tensorName(const ir::Module& module, ir::ValueId id) {
  const ir::Value& value = module.values[id];
  std::string own(module.text(value.name));
  const ir::OpId parent = module.graphs[value.graph].parent;
  if (parent.isNone()) return own;
  std::string branch;
  for (const ir::Region& region : module.ops[parent].regions)
    if (region.graph == value.graph) branch = region.name;
  return fmt::format("{}/{}/{}", module.displayName(parent), branch, own);
}

}  // namespace amdahlc
