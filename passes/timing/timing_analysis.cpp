#include "passes/timing/timing_analysis.h"

#include <algorithm>
#include <numeric>

#include "timeline/interval.h"

namespace amdahlc {

std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover) {
  std::vector<ir::KernelId> owner(timeline.size(), kUnboundOwner);
  for (const ir::Kernel& kernel : cover.kernels)
    for (const ir::BoundEvent& bound : kernel.events) owner[bound.event] = kernel.id;

  std::vector<uint32_t> slot(timeline.iterations.size(), ir::kNone);
  std::vector<OwnedEvents> result;
  for (size_t i = 0; i < timeline.iterations.size(); ++i) {
    if (!timeline.iterations[i].selected) continue;
    slot[i] = static_cast<uint32_t>(result.size());
    result.emplace_back();
  }
  for (EventIndex event : timeline.selectedEvents()) {
    OwnedEvents& iteration = result[slot[static_cast<size_t>(timeline.iteration[event])]];
    iteration.events.push_back(event);
    iteration.owners.push_back(owner[event]);
  }
  return result;
}

void forEachBusySegment(const Timeline& timeline, const OwnedEvents& iteration,
                        const std::function<void(int64_t, std::span<const ir::KernelId>)>& visit) {
  std::vector<Interval> intervals;
  intervals.reserve(iteration.events.size());
  for (EventIndex event : iteration.events) intervals.push_back({timeline.startNs[event], timeline.endNs(event)});
  std::vector<ir::KernelId> owners;
  forEachSegment(intervals, [&](int64_t lengthNs, std::span<const uint32_t> active) {
    owners.clear();
    for (uint32_t index : active) owners.push_back(iteration.owners[index]);
    visit(lengthNs, owners);
  });
}

namespace {

int64_t wallOf(const Timeline& timeline, const OwnedEvents& iteration) {
  if (iteration.events.empty()) return 0;
  int64_t lastEnd = timeline.endNs(iteration.events.front());
  for (EventIndex event : iteration.events) lastEnd = std::max(lastEnd, timeline.endNs(event));
  return lastEnd - timeline.startNs[iteration.events.front()];
}

/// Host extent of each selected iteration, or none where one of them has none.
std::optional<std::vector<int64_t>> windowsOf(const Timeline& timeline) {
  std::vector<int64_t> windows;
  for (const Iteration& iteration : timeline.iterations) {
    if (!iteration.selected) continue;
    if (!iteration.startNs || !iteration.endNs) return std::nullopt;
    windows.push_back(*iteration.endNs - *iteration.startNs);
  }
  return windows;
}

}  // namespace

TimingAnalysis::TimingAnalysis(const ir::Module& module, const ir::Cover& cover) {
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  const std::vector<OwnedEvents> iterations = ownedEvents(timeline, cover);
  const size_t kernelCount = cover.kernels.size();

  // Time in which only the kernel's own events were active: what busy time would lose without them.
  std::vector<int64_t> exclusiveNs(kernelCount, 0);
  kernels_.resize(kernelCount);
  for (ir::KernelTime& kernel : kernels_) kernel.perIterationNs.assign(iterations.size(), 0);

  for (size_t i = 0; i < iterations.size(); ++i) {
    const OwnedEvents& iteration = iterations[i];
    int64_t busyNs = 0;
    std::vector<ir::KernelId> distinct;
    forEachBusySegment(timeline, iteration, [&](int64_t lengthNs, std::span<const ir::KernelId> owners) {
      busyNs += lengthNs;
      distinct.assign(owners.begin(), owners.end());
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
      for (ir::KernelId kernel : distinct)
        if (kernel != kUnboundOwner) kernels_[kernel].perIterationNs[i] += lengthNs;
      if (distinct.size() == 1 && distinct.front() != kUnboundOwner) exclusiveNs[distinct.front()] += lengthNs;
    });
    run_.busyNs.push_back(busyNs);
    run_.wallNs.push_back(wallOf(timeline, iteration));
    run_.deviceEvents += static_cast<int64_t>(iteration.events.size());
    for (size_t e = 0; e < iteration.events.size(); ++e) {
      const int64_t durationNs = timeline.durationNs[iteration.events[e]];
      run_.deviceNs += durationNs;
      (iteration.owners[e] == kUnboundOwner ? run_.unboundNs : run_.boundNs) += durationNs;
    }
  }
  run_.iterations = static_cast<int64_t>(iterations.size());
  run_.windowNs = windowsOf(timeline);

  const int64_t busyTotalNs = std::accumulate(run_.busyNs.begin(), run_.busyNs.end(), int64_t{0});
  for (size_t k = 0; k < kernelCount; ++k) {
    ir::KernelTime& kernel = kernels_[k];
    kernel.totalNs = std::accumulate(kernel.perIterationNs.begin(), kernel.perIterationNs.end(), int64_t{0});
    kernel.busyWithoutNs = busyTotalNs - exclusiveNs[k];
  }
}

}  // namespace amdahlc
