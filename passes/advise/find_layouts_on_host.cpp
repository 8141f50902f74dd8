// Images with channels first in a run without a device: the library of the convolutions converts what they read and
// make, pooling works on single numbers, and what lies in the other layout is copied. Operands with strides tell it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "ir/facets/bound.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/timeline/tensor_layout.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using Dims = std::vector<int64_t>;

/// The axes of images that a program has turned so that the channels are last, as they were.
constexpr std::array<size_t, 4> kTurned = {0, 3, 1, 2};

int64_t elementsOf(const Dims& dims) {
  int64_t count = 1;
  for (const int64_t dim : dims)
    if (__builtin_mul_overflow(count, dim, &count)) return 0;
  return count;
}

class LayoutFinder {
 public:
  explicit LayoutFinder(AdvisedRun& run)
      : run_(run),
        host_(*run.timeline.host),
        runtime_(runtimeAdapter(run.timeline.target.runtime)),
        owners_(ir::eventOwners(run.timeline, *run.cover.facets.get<ir::BoundFacet>())),
        found_(run.cover.kernels.size()) {
    for (EventIndex event = 0; event < run.timeline.size(); ++event)
      if (owners_[event] != kUnboundOwner && run.reported.has(run.timeline.iteration[event])) events_.push_back(event);
  }

  void find(std::vector<AdviceCandidate>& candidates) {
    for (const EventIndex event : events_) addConvolution(event);
    if (const double share = shareOfBusy(&Found::unknownNs); share >= kLeastShare)
      run_.notes.push_back(
          fmt::format("in which layout convolutions, {} of busy time, read images is not known, because "
                      "the trace has no strides of their operands: {}",
                      formatPercent(share), run_.remedy(Remedy::RecordShapes)));
    if (images_.empty()) return;
    for (const EventIndex event : events_) addOther(event);
    AdviceCandidate candidate;
    candidate.atMost.emplace();
    double likelyNs = 0;
    for (const ir::KernelId kernel : found_.ids()) likelyNs += change(kernel, candidate);
    if (run_.partOfBusy(static_cast<int64_t>(likelyNs)) < kLeastShare) return;
    candidate.change = fmt::format("keep images with channels last: {}", run_.remedy(Remedy::ChannelsLast));
    candidate.why = fmt::format(
        "convolutions, {} of busy time, read images with channels first, which their library "
        "converts",
        formatPercent(shareOfBusy(&Found::convolutionNs)));
    if (const double share = shareOfBusy(&Found::otherNs); share > 0)
      candidate.why += fmt::format("; pooling, and what reads images in both layouts, takes {}", formatPercent(share));
    if (const double share = shareOfBusy(&Found::copiesNs); share > 0)
      candidate.why += fmt::format("; copies from one layout into the other take {}", formatPercent(share));
    candidate.assumption =
        "the convolutions have kernels for channels last, and nothing else needs channels first; what is neither a "
        "conversion nor pooling keeps its time";
    candidate.places = run_.placesOf(candidate.kernels);
    candidate.idleNs = run_.idleBehind(candidate.kernels);
    candidate.savesPart = true;
    candidates.push_back(std::move(candidate));
  }

 private:
  /// Of a kernel, by its events in the reported iterations.
  struct Found {
    int64_t allNs = 0, copiesNs = 0, convolutionNs = 0, unknownNs = 0, otherNs = 0;
    /// Elements of the images that a convolution with channels first reads, and of all its operands.
    double images = 0, operands = 0;
    bool isConvolution = false, isOther = false;
  };

  /// The part of busy time that these events are: of the time that a kernel counts with, as much as of its events.
  double shareOfBusy(int64_t Found::* ns) const {
    double sumNs = 0;
    for (const ir::KernelId kernel : found_.ids())
      sumNs += shareOf(found_[kernel].*ns, found_[kernel].allNs) * static_cast<double>(run_.timeOf(kernel));
    return run_.partOfBusy(static_cast<int64_t>(sumNs));
  }

  std::string categoryOf(ir::KernelId kernel) const {
    return ir::kernelCategory(run_.module, run_.cover.kernels[kernel]);
  }
  /// The operator of which the event is.
  const OperatorFacts* factsOf(EventIndex event) const {
    const HostEventId op = host_.launchOp[event];
    return op.isNone() ? nullptr : host_.operatorFactsOf(op);
  }
  bool isCopy(EventIndex event) const {
    const HostEventId op = host_.launchOp[event];
    return !op.isNone() && runtime_.writes(run_.timeline.text(host_.name[op]));
  }

  void addConvolution(EventIndex event) {
    const ir::KernelId kernel = owners_[event];
    const int64_t ns = run_.timeline.durationNs[event];
    found_[kernel].allNs += ns;
    if (categoryOf(kernel) != "convolution" || isCopy(event)) return;
    const OperatorFacts* facts = factsOf(event);
    if (facts == nullptr || !facts->strides) {
      found_[kernel].unknownNs += ns;
      return;
    }
    const auto layout = [&](size_t operand) { return imageLayout(*facts, operand); };
    // Whichever of the two has channels last decides it.
    if (layout(0) != ImageLayout::ChannelsFirst || layout(1) == ImageLayout::ChannelsLast ||
        layout(1) == ImageLayout::Unknown)
      return;
    Found& found = found_[kernel];
    found.isConvolution = true;
    found.images += static_cast<double>(elementsOf(facts->inputDims[0]));
    for (const Dims& dims : facts->inputDims)
      if (!dims.empty()) found.operands += static_cast<double>(elementsOf(dims));
    found.convolutionNs += ns;
    images_.insert(facts->inputDims[0]);
    for (const ir::OpId op : run_.cover.kernels[kernel].ops)
      for (const ir::ValueId output : run_.module.ops[op].outputs) {
        if (output.isNone() || !run_.module.values[output].type.isStatic()) continue;
        Dims dims;
        for (const ir::Dim& dim : run_.module.values[output].type.dims) dims.push_back(dim.value);
        images_.insert(std::move(dims));
      }
  }

  /// In the order batch, channels, height, width; `Unknown` of what no convolution reads or makes.
  ImageLayout layoutOfImage(const OperatorFacts& facts, size_t operand) const {
    const Dims& dims = facts.inputDims[operand];
    if (images_.contains(dims)) return imageLayout(facts, operand);
    if (dims.size() != kTurned.size()) return ImageLayout::Unknown;
    const Dims strides = stridesOf(facts, operand);
    Dims turnedDims, turnedStrides;
    for (const size_t axis : kTurned) {
      turnedDims.push_back(dims[axis]);
      turnedStrides.push_back(strides[axis]);
    }
    return images_.contains(turnedDims) ? imageLayout(turnedDims, turnedStrides) : ImageLayout::Unknown;
  }

  void addOther(EventIndex event) {
    const OperatorFacts* facts = factsOf(event);
    if (facts == nullptr || !facts->strides) return;
    bool hasFirst = false, hasLast = false;
    for (size_t operand = 0; operand < facts->inputDims.size(); ++operand) {
      const ImageLayout layout = layoutOfImage(*facts, operand);
      hasFirst |= layout == ImageLayout::ChannelsFirst;
      hasLast |= layout == ImageLayout::ChannelsLast;
    }
    const ir::KernelId kernel = owners_[event];
    Found& found = found_[kernel];
    if (isCopy(event)) {
      if (!hasFirst || !hasLast) return;
      found.copiesNs += run_.timeline.durationNs[event];
    } else if (hasFirst && !found.isConvolution && (hasLast || categoryOf(kernel) == "pooling")) {
      found.isOther = true;
      found.otherNs += run_.timeline.durationNs[event];
    }
  }

  /// What the kernel likely saves, in ns; 0 for one that does not change.
  double change(ir::KernelId kernel, AdviceCandidate& candidate) const {
    const Found& found = found_[kernel];
    const auto timeNs = static_cast<double>(run_.timeOf(kernel));
    if (timeNs == 0 || (found.copiesNs == 0 && !found.isConvolution && !found.isOther)) return 0;
    const double withoutCopiesNs = timeNs * (1 - shareOf(found.copiesNs, found.allNs));
    const double leastNs = std::min(withoutCopiesNs, leastNsOf(kernel, found));
    const double likelyNs = std::max(leastNs, std::min(withoutCopiesNs, likelyNsOf(kernel, found, withoutCopiesNs)));
    candidate.kernels.push_back(kernel);
    candidate.likely.push_back(run_.newTime(kernel, likelyNs));
    candidate.atMost->push_back(run_.newTime(kernel, leastNs));
    return timeNs - likelyNs;
  }

  /// At its roof. Without a description of the device nothing but the shortest event of the run bounds it: kernels of
  /// this run may all be slow, and images may come from caches, so that the best rates of the run are no bound.
  double leastNsOf(ir::KernelId kernel, const Found& found) const {
    const KernelRoofline* roofline = run_.roofline == nullptr ? nullptr : &run_.roofline->kernels[kernel];
    // A kernel that waits for memory and loses its copy reads the image where it was made.
    const bool readsOriginal = found.copiesNs > 0 && roofline != nullptr && roofline->bound == KernelBound::Memory;
    if (!found.isConvolution && !found.isOther && !readsOriginal) return static_cast<double>(run_.timeOf(kernel));
    const double floorNs =
        static_cast<double>(run_.shortestNs) * (roofline != nullptr && roofline->runs ? *roofline->runs : 1);
    return std::max(floorNs, roofline != nullptr ? roofline->totalNs().value_or(0) : 0);
  }

  /// At the rates of the kernels of this run, or else at the bandwidth of memory.
  double likelyNsOf(ir::KernelId kernel, const Found& found, double nowNs) const {
    if (run_.roofline == nullptr || (!found.isConvolution && !found.isOther)) return nowNs;
    const KernelWorkOf& work = run_.roofline->work(kernel);
    const auto& runs = run_.roofline->kernels[kernel].runs;
    if (!work.isKnown() || !runs) return nowNs;
    if (!found.isConvolution) {
      const auto each = run_.rates.ns(work);
      return each ? *each * *runs : nowNs;
    }
    // What it reads of images, and what it makes, is read and written once more.
    const double images =
        found.operands > 0 ? static_cast<double>(work.readBytes()) * found.images / found.operands : 0;
    const auto bytes = static_cast<int64_t>(2 * (images + static_cast<double>(work.writtenBytes())));
    auto eachNs = run_.rates.bytesNs(bytes);
    if (!eachNs && run_.predicted().isDescribed())
      eachNs = static_cast<double>(bytes) * 1e9 / static_cast<double>(run_.roofline->hardware->memoryBytesPerS);
    return nowNs - (eachNs ? *eachNs * *runs : 0);
  }

  AdvisedRun& run_;
  const HostFacts& host_;
  const RuntimeAdapter& runtime_;
  const std::vector<ir::KernelId> owners_;
  /// Of the reported iterations, and bound.
  std::vector<EventIndex> events_;
  IdVector<ir::KernelId, Found> found_;
  /// The dimensions of what convolutions with channels first read and make.
  std::set<Dims> images_;
};

}  // namespace

void findLayoutsOnHost(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  // Of other runtimes no recorder has strides.
  if (!run.timeline.hasDevice && run.timeline.host && !run.remedy(Remedy::RecordShapes).empty())
    LayoutFinder(run).find(candidates);
}

}  // namespace amdahlc
