// An optimizer that updates weights by many kernels: a fused one reads and writes each tensor once, in one launch.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "passes/advise/finders.h"
#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "support/plural.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

/// Fewer are fused already.
constexpr size_t kLeastKernels = 3;
/// A smaller one is not worth a selector.
constexpr double kLeastFactor = 1.01;

class OptimizerFinder {
 public:
  explicit OptimizerFinder(const AdvisedRun& run) : run_(run) {
    for (const ir::Kernel& kernel : run.cover.kernels) {
      if (run.timeOf(kernel.id) == 0 || run.predicted().phases->ofKernel(kernel.id) != Phase::Optimizer) continue;
      kernels_.push_back(kernel.id);
      ns_ += run.timeOf(kernel.id);
    }
  }

  void find(std::vector<AdviceCandidate>& candidates) {
    const std::string_view remedy = run_.remedy(Remedy::FuseUpdate);
    if (remedy.empty() || kernels_.size() < kLeastKernels || isFused() || run_.partOfBusy(ns_) < kLeastShare) return;
    AdviceCandidate candidate;
    const auto allNs = static_cast<double>(ns_);
    const double iterations = run_.timed.run.reportedIterations();
    const double floorNs = std::min(allNs, static_cast<double>(run_.shortestNs) * iterations);
    const auto bytes = tensorBytes();
    // Each tensor is read, and at most written.
    const auto eachNs = bytes ? run_.rates.bytesNs(2 * *bytes) : std::nullopt;
    const double likelyNs = std::clamp(eachNs ? *eachNs * iterations : listsNs(), floorNs, allNs);
    double leastNs = floorNs;
    if (bytes && run_.predicted().isDescribed())
      leastNs = std::clamp(static_cast<double>(*bytes) * 1e9 /
                               static_cast<double>(run_.roofline->hardware->memoryBytesPerS) * iterations,
                           floorNs, likelyNs);
    candidate.likely = becomesOne(likelyNs);
    candidate.atMost = becomesOne(leastNs);
    // Launches vanish.
    if (run_.timeline.hasDevice) candidate.certain = becomesOne(allNs);
    if (kLeastFactor * likelyNs < allNs)
      candidate.selector = fmt::format("phase:optimizer={:.2f}x", allNs / std::max(likelyNs, 1.0));
    candidate.change = fmt::format("update all weights by one kernel: {}", remedy);
    candidate.why = fmt::format("{} of the optimizer, {} of busy time{}", plural(kernels_.size(), "kernel"),
                                formatPercent(run_.partOfBusy(ns_)),
                                eachNs ? "" : "; how many bytes a fused one moves is not known");
    candidate.assumption = "nothing reads gradients or weights between these kernels";
    candidate.places = run_.placesOf(kernels_);
    candidate.kernels = kernels_;
    candidate.replacesKernels = true;
    if (run_.predicted().oneThread != nullptr)
      addPauses(candidate);
    else
      candidate.idleNs = run_.idleBehind(kernels_);
    candidates.push_back(std::move(candidate));
  }

 private:
  using Tells = bool (RuntimeAdapter::*)(std::string_view) const;
  /// Whether the name of an operator of the kernel, or of the optimizer itself, tells it.
  bool isCalled(ir::KernelId kernel, Tells tells) const {
    const ir::Kernel& one = run_.cover.kernels[kernel];
    const RuntimeAdapter& runtime = runtimeAdapter(run_.timeline.target.runtime);
    const auto says = [&](std::string_view name) { return (runtime.*tells)(name); };
    return says(run_.module.scopePath(ir::kernelScope(run_.module, one))) ||
           std::ranges::any_of(one.ops, [&](ir::OpId op) {
             return says(run_.module.text(run_.module.ops[op].sourceTarget)) ||
                    says(run_.module.text(run_.module.ops[op].type));
           });
  }
  bool isFused() const {
    return std::ranges::any_of(kernels_,
                               [&](ir::KernelId kernel) { return isCalled(kernel, &RuntimeAdapter::isFusedUpdate); });
  }

  /// Of kernels that each go over all weights: twice the longest one. A fused update reads and writes up to seven
  /// tensors for each weight, and those with the most operands four. Else their time now.
  double listsNs() const {
    int64_t longestNs = 0, inListsNs = 0;
    for (const ir::KernelId kernel : kernels_) {
      if (!isCalled(kernel, &RuntimeAdapter::isUpdateOfLists)) continue;
      inListsNs += run_.timeOf(kernel);
      longestNs = std::max(longestNs, run_.timeOf(kernel));
    }
    return 2 * inListsNs > ns_ ? 2 * static_cast<double>(longestNs) : static_cast<double>(ns_);
  }

  /// Of the tensors that the phase reads and did not make, each once: by their memory, where that is known. nullopt if
  /// the size of one of them is not known.
  std::optional<int64_t> tensorBytes() const {
    std::map<ir::StorageId, int64_t> byStorage;
    std::vector<bool> isInside(run_.module.ops.size(), false);
    for (const ir::KernelId kernel : kernels_)
      for (const ir::OpId op : run_.cover.kernels[kernel].ops) isInside[op.index()] = true;
    std::map<ir::ValueId, int64_t> others;
    for (const ir::KernelId kernel : kernels_)
      for (const ir::OpId op : run_.cover.kernels[kernel].ops)
        for (const ir::ValueId input : run_.module.ops[op].inputs) {
          if (input.isNone()) continue;
          const ir::Value& value = run_.module.values[input];
          if (value.kind == ir::Value::Kind::Result && isInside[value.producer.index()]) continue;
          if (!value.byteSize) return std::nullopt;
          int64_t& bytes = value.storage.isNone() ? others[input] : byStorage[value.storage];
          bytes = std::max(bytes, *value.byteSize);
        }
    int64_t sum = 0;
    for (const auto& [storage, bytes] : byStorage) sum += bytes;
    for (const auto& [value, bytes] : others) sum += bytes;
    return sum > 0 ? std::optional(sum) : std::nullopt;
  }

  /// The time between its kernels is that of their calls, of which one stays. What else the optimizer does before the
  /// first one and after the last one, in the annotation around them, vanishes at most.
  void addPauses(AdviceCandidate& candidate) const {
    const Timeline& timeline = run_.timeline;
    const std::span<const Phase> phases = run_.predicted().phases->ofEvents();
    const EventsByIteration iterations = eventsByIteration(timeline);
    const std::vector<schedule::TimeBetween> between = run_.timeBetween();
    const auto isOwn = [&](EventIndex event) { return event < phases.size() && phases[event] == Phase::Optimizer; };
    std::vector<int64_t> startsNs;
    for (size_t i = 0; i < iterations.size(); ++i)
      for (const EventIndex event : iterations[i])
        if (isOwn(event)) startsNs.push_back(timeline.startNs[event]);
    std::ranges::sort(startsNs);
    const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
    std::vector<TimeInterval> spans;
    const HostFacts& host = *timeline.host;
    for (const HostEventId event : host.kind.ids()) {
      if (host.kind[event] != EventKind::Annotation ||
          runtime.phase(timeline.text(host.name[event])) != Phase::Optimizer)
        continue;
      const auto first = std::ranges::lower_bound(startsNs, host.startNs[event]);
      if (first != startsNs.end() && *first < host.endNs(event)) spans.push_back(host.interval(event));
    }
    spans = unionOf(std::move(spans));
    for (const schedule::TimeBetween& one : between) {
      const std::span<const EventIndex> events = iterations[static_cast<size_t>(one.iteration)];
      const schedule::HostStretch whole{0, one.interval.startNs, one.interval.endNs, Rational::of(0)};
      if (one.isOfWall && isOwn(events[one.place - 1]) && isOwn(events[one.place])) {
        candidate.pauses.push_back(whole);
        candidate.pausesAtMost.push_back(whole);
        continue;
      }
      for (auto span = std::ranges::upper_bound(spans, one.interval.startNs, {}, &TimeInterval::endNs);
           span != spans.end() && span->startNs < one.interval.endNs; ++span)
        candidate.pausesAtMost.push_back({0, std::max(span->startNs, one.interval.startNs),
                                          std::min(span->endNs, one.interval.endNs), Rational::of(0)});
    }
  }

  /// The last kernel takes this time, over the reported iterations, and the others do not run.
  std::vector<ir::Change> becomesOne(double ns) const {
    std::vector<ir::Change> changes = {run_.newTime(kernels_.back(), ns)};
    ir::Change removed;
    removed.kind = ir::ChangeKind::Remove;
    for (const ir::KernelId kernel : std::span(kernels_).first(kernels_.size() - 1))
      removed.selectors.push_back({ir::SelectorKind::KernelId, std::to_string(kernel.index())});
    changes.push_back(std::move(removed));
    return changes;
  }

  const AdvisedRun& run_;
  std::vector<ir::KernelId> kernels_;
  int64_t ns_ = 0;
};

}  // namespace

void findOptimizer(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (run.predicted().phases != nullptr) OptimizerFinder(run).find(candidates);
}

}  // namespace amdahlc
