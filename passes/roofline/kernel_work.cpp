// For each kernel of a cover:
//
//   operators     each has its work by its row: operations, and how much of each operand and result it needs
//   tensors       what an operator reads is followed through renaming operators to the value that they name; it is read
//                 from memory if no operator of the kernel makes it
//   parts         views may name a part of a tensor, or repeat it. An operand needs at most the smallest value on the
//                 way to its tensor. Several operators that read the same part read it once; different parts add up, to
//                 the whole tensor at most
#include "passes/roofline/kernel_work.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "ir/kernel_accesses.h"
#include "ir/known_values.h"
#include "ir/operator_graph.h"
#include "ir/tensor_roots.h"
#include "support/sort_unique.h"

namespace amdahlc {

using ir::KernelId;
using ir::OpId;
using ir::ValueId;

namespace {

Amount sumOf(const std::vector<TensorTraffic>& traffic) {
  Amount sum = 0;
  for (const TensorTraffic& one : traffic) sum = sum + Amount(one.bytes);
  return sum;
}

Amount sumOf(const FlopsByType& flops) {
  Amount sum = 0;
  for (const auto& [type, count] : flops) sum = sum + Amount(count);
  return sum;
}

KernelWorkOf unknownWork(Absence reason) {
  KernelWorkOf work;
  work.unknown = std::move(reason);
  return work;
}

}  // namespace

int64_t KernelWorkOf::readBytes() const { return sumOf(reads).orMost(); }
int64_t KernelWorkOf::writtenBytes() const { return sumOf(writes).orMost(); }
int64_t KernelWorkOf::bytes() const { return (sumOf(reads) + sumOf(writes)).orMost(); }
int64_t KernelWorkOf::flops() const { return (sumOf(matrixFlops) + sumOf(vectorFlops)).orMost(); }

/// Computes the work of one cover, step by step.
class WorkScan {
 public:
  WorkScan(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
      : module_(module),
        graph_(analyses.get<ir::OperatorGraph>()),
        cover_(module.cover(cover)),
        accesses_(analyses.get<ir::KernelAccesses>(cover)),
        shapes_(analyses.get<RunShapes>(cover)),
        holders_(module, cover_.kernels) {}

  KernelWork::Facts run() {
    works_.resize(module_.ops.size());
    for (const OpId op : graph_.order()) works_[op].emplace(amdahlc::workOf(module_, op, shapes_));
    followNames();
    facts_.readers.assign(module_.values.size(), 0);
    facts_.isReturned.assign(module_.values.size(), false);
    for (const ir::Graph& graph : module_.graphs)
      for (const ValueId output : graph.outputs)
        if (!output.isNone()) facts_.isReturned[roots_->of(output)] = true;
    for (const ir::Kernel& kernel : cover_.kernels) facts_.kernels.push_back(workOf(kernel));
    return std::move(facts_);
  }

 private:
  /// Which operators rename, and for each value the one that it is another name of. Roofs are the least that kernels
  /// need: an operator whose row says that it renames has nothing to move, even in a kernel with events. Such a kernel
  /// did copy, and `liveness` tells which tensors the run had: there it makes one of its own.
  void followNames() {
    kernelRenames_ = renamingKernels(module_, cover_);
    renames_ = renamingOperators(graph_, holders_, kernelRenames_);
    for (const OpId op : graph_.order())
      if (works_[op]->onlyRenames()) renames_[op] = true;
    roots_.emplace(module_, graph_, renames_);
    for (const ValueId value : module_.values.ids()) {
      named_.push_back(value);
      part_.push_back(value);
      most_.push_back(shapes_.bytes(value));
    }
    for (const OpId op : graph_.order()) {
      if (!renames_[op]) continue;
      for (const ValueId result : graph_.outputs(op)) {
        const ValueId source = result.isNone() ? ValueId() : sourceOf(op, result);
        if (source.isNone()) continue;
        named_[result] = named_[source];
        const bool isPart = most_[result].isKnown() && (!most_[source].isKnown() || *most_[result] < *most_[source]);
        part_[result] = isPart ? result : part_[source];
        if (!isPart) most_[result] = most_[source];
      }
    }
  }

  /// The operand that the result of a renaming operator names; none if it is a tensor of its own.
  ValueId sourceOf(OpId op, ValueId result) const {
    const ValueId root = roots_->of(result);
    if (root == result) return {};
    for (const ValueId operand : graph_.inputs(op))
      if (!operand.isNone() && roots_->of(operand) == root) return operand;
    return {};
  }

  bool makes(const ir::Kernel& kernel, ValueId value) const {
    const OpId producer = graph_.producer(named_[value]);
    return !producer.isNone() && holders_.holds(kernel.id, producer);
  }

  /// Bytes of one operand; 0 for what the host reads.
  Amount readOf(const OperatorWork& work, const ir::Op& op, uint32_t operand) const {
    if (ir::isShapeOperand(module_, op, operand)) return 0;
    const ValueId value = op.inputs[operand];
    const auto given = work.readOf(operand);
    if (!given) return most_[value];
    return most_[value].isKnown() ? smaller(*given, most_[value]) : *given;
  }

  /// The first fault stays.
  static void fail(KernelWorkOf& work, Absence unknown) {
    if (!work.unknown) work.unknown = std::move(unknown);
  }
  void failTooLarge(KernelWorkOf& work, OpId op) const {
    fail(work, {Absence::Reason::LargeWork, {module_.displayName(op)}});
  }

  KernelWorkOf workOf(const ir::Kernel& kernel) {
    KernelWorkOf found;
    if (kernelRenames_[kernel.id]) return found;
    std::vector<OpId> ops = kernel.ops;
    std::sort(ops.begin(), ops.end());
    std::map<ValueId, std::map<ValueId, Amount>> reads;
    for (const OpId id : ops) {
      if (renames_[id] || !graph_.isLive(id)) continue;
      const OperatorWork& work = *works_[id];
      const ir::Op& op = module_.ops[id];
      if (work.reason()) fail(found, *work.reason());
      if (!add(found.matrixFlops, work.matrixFlops()) || !add(found.vectorFlops, work.vectorFlops()))
        failTooLarge(found, id);
      // What a loop hands to its body is needed, though the body's kernels read it.
      if (!work.isOnDevice() && op.regions.empty()) continue;
      for (uint32_t operand = 0; operand < op.inputs.size(); ++operand) {
        const ValueId value = op.inputs[operand];
        if (value.isNone() || makes(kernel, value) || ir::isShapeOperand(module_, op, operand)) continue;
        const Amount bytes = readOf(work, op, operand);
        if (!bytes.isKnown()) fail(found, absenceOf(bytes, module_, id, value));
        auto [known, isNew] = reads[roots_->of(value)].emplace(part_[value], bytes);
        if (!isNew) known->second = larger(known->second, bytes);
      }
    }
    for (const auto& [root, parts] : reads) {
      ++facts_.readers[root];
      Amount sum = 0;
      for (const auto& [part, bytes] : parts) sum = sum + bytes;
      const Amount whole = shapes_.bytes(root);
      if (whole.isKnown()) sum = smaller(sum, whole);
      if (sum.isTooLarge()) failTooLarge(found, kernel.anchor());
      const bool isPart = sum.isKnown() && whole.isKnown() && *sum < *whole;
      if (sum.isKnown()) found.reads.push_back({root, *sum, graph_.isConstant(root), isPart});
    }
    addWrites(kernel, found);
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    if (found.bytes() == kMost || found.flops() == kMost) failTooLarge(found, kernel.anchor());
    if (found.unknown) return unknownWork(*found.unknown);
    return found;
  }

  void addWrites(const ir::Kernel& kernel, KernelWorkOf& found) {
    std::map<ValueId, Amount> made;
    for (const ValueId value : accesses_.writes(kernel.id)) {
      const ValueId named = named_[value];
      const OpId producer = graph_.producer(named);
      if (!makes(kernel, value) || renames_[producer]) continue;
      made.emplace(named, writtenBy(producer, named));
    }
    std::map<ValueId, Amount> byRoot;
    for (const auto& [value, bytes] : made) {
      if (!bytes.isKnown()) fail(found, absenceOf(bytes, module_, graph_.producer(value), value));
      auto [known, isNew] = byRoot.emplace(roots_->of(value), bytes);
      if (!isNew) known->second = known->second + bytes;
    }
    for (const auto& [root, bytes] : byRoot) {
      if (bytes.isTooLarge()) failTooLarge(found, kernel.anchor());
      if (bytes.isKnown() && *bytes > 0) found.writes.push_back({root, *bytes, false});
    }
  }

  Amount writtenBy(OpId producer, ValueId value) const {
    const auto results = graph_.outputs(producer);
    const auto at = std::find(results.begin(), results.end(), value);
    const auto given = works_[producer]->writtenOf(static_cast<size_t>(at - results.begin()));
    return given ? *given : shapes_.bytes(value);
  }

  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  const ir::Cover& cover_;
  const ir::KernelAccesses& accesses_;
  const RunShapes& shapes_;
  const ir::KernelHolders holders_;
  KernelWork::Facts facts_;
  /// By the row of the operator; nullopt if it is not live.
  IdVector<OpId, std::optional<OperatorWork>> works_;
  IdVector<KernelId, bool> kernelRenames_;
  IdVector<OpId, bool> renames_;
  std::optional<ir::TensorRoots> roots_;
  /// By value: what it is another name of, within its graph; the smallest value on the way there, and its bytes.
  IdVector<ValueId, ValueId> named_, part_;
  IdVector<ValueId, Amount> most_;
};

KernelWork::KernelWork(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses)
    : facts_(WorkScan(module, cover, analyses).run()) {}

KernelWorkOf KernelWork::fused(std::span<const KernelId> kernels) const {
  KernelWorkOf all;
  std::vector<KernelId> distinct(kernels.begin(), kernels.end());
  sortUnique(distinct);
  std::map<ValueId, TensorTraffic> reads, writes;
  std::map<ValueId, uint32_t> readers;
  bool fits = true;
  for (const KernelId kernel : distinct) {
    const KernelWorkOf& work = of(kernel);
    if (work.unknown) return work;
    for (const TensorTraffic& read : work.reads) {
      TensorTraffic& known = reads.emplace(read.root, read).first->second;
      known.bytes = std::max(known.bytes, read.bytes);
      known.isPart = known.isPart && read.isPart;
      ++readers[read.root];
    }
    for (const TensorTraffic& write : work.writes) {
      TensorTraffic& known = writes.emplace(write.root, write).first->second;
      known.bytes = std::max(known.bytes, write.bytes);
    }
    fits &= add(all.matrixFlops, work.matrixFlops);
    fits &= add(all.vectorFlops, work.vectorFlops);
  }
  for (const auto& [root, read] : reads)
    if (!writes.contains(root)) all.reads.push_back(read);
  for (const auto& [root, write] : writes) {
    const auto inside = readers.find(root);
    const bool isOnlyTheirs = inside != readers.end() && inside->second == facts_.readers[root];
    if (!isOnlyTheirs || facts_.isReturned[root]) all.writes.push_back(write);
  }
  return fits ? all : unknownWork({Absence::Reason::LargeWorkTogether});
}

}  // namespace amdahlc
