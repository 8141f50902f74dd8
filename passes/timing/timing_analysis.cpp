#include "passes/timing/timing_analysis.h"

#include <algorithm>
#include <utility>

#include "ir/facets/bound.h"
#include "passes/timing/device_factors.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc {

std::vector<ir::KernelId> eventOwners(const Timeline& timeline, const ir::Cover& cover) {
  std::vector<ir::KernelId> owners(timeline.size(), kUnboundOwner);
  const auto& bindings = cover.facets.get<ir::BoundFacet>()->kernels;
  for (const ir::KernelId kernel : bindings.ids())
    for (const ir::BoundEvent& bound : bindings[kernel].events)
      if (timeline.isSelected(bound.event)) owners[bound.event] = kernel;
  return owners;
}

std::vector<Rational> eventFactors(std::span<const ir::KernelId> owners, const DeviceFactors& factors) {
  std::vector<Rational> byEvent;
  byEvent.reserve(owners.size());
  for (const ir::KernelId owner : owners)
    byEvent.push_back(owner == kUnboundOwner ? factors.unbound : factors.kernels[owner]);
  return byEvent;
}

std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover) {
  const std::vector<ir::KernelId> owner = eventOwners(timeline, cover);
  std::vector<std::vector<EventIndex>> events = eventsByIteration(timeline);
  std::vector<OwnedEvents> result;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    OwnedEvents& iteration = result.emplace_back(OwnedEvents{std::move(events[i]), {}});
    for (const EventIndex event : iteration.events) iteration.owners.push_back(owner[event]);
  }
  return result;
}

std::vector<TimeInterval> intervalsOf(const Timeline& timeline, const OwnedEvents& iteration) {
  std::vector<TimeInterval> intervals;
  intervals.reserve(iteration.events.size());
  for (EventIndex event : iteration.events) intervals.push_back({timeline.startNs[event], timeline.endNs(event)});
  return intervals;
}

TimingAnalysis::TimingAnalysis(const ir::Module& module, ir::CoverId id) {
  const ir::Cover& cover = module.cover(id);
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  const std::vector<OwnedEvents> iterations = ownedEvents(timeline, cover);
  const size_t kernelCount = cover.kernels.size();

  // Time in which only the kernel's own events were active, by which busy time would shrink without them.
  std::vector<int64_t> exclusiveNs(kernelCount, 0);
  kernels_.resize(kernelCount);
  for (ir::KernelTime& kernel : kernels_) kernel.perIterationNs.assign(iterations.size(), 0);

  for (size_t i = 0; i < iterations.size(); ++i) {
    const OwnedEvents& iteration = iterations[i];
    // Number of active events per owner (the last one is for unbound events), and number of active owners. If one owner
    // is active, the sum of active owner indices is its index.
    std::vector<uint32_t> active(kernelCount + 1, 0);
    std::vector<int64_t> sinceNs(kernelCount + 1, 0);
    size_t owners = 0, sumOfOwners = 0;
    int64_t busyNs = 0;
    const auto ownerOf = [&](uint32_t event) {
      return iteration.owners[event] == kUnboundOwner ? kernelCount : iteration.owners[event].index();
    };
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t event, int64_t timeNs) {
      const size_t owner = ownerOf(event);
      if (active[owner]++ > 0) return;
      sinceNs[owner] = timeNs;
      ++owners;
      sumOfOwners += owner;
    };
    visitor.ends = [&](uint32_t event, int64_t timeNs) {
      const size_t owner = ownerOf(event);
      if (--active[owner] > 0) return;
      if (owner < kernelCount) kernels_[ir::KernelId(owner)].perIterationNs[i] += timeNs - sinceNs[owner];
      --owners;
      sumOfOwners -= owner;
    };
    visitor.segment = [&](int64_t lengthNs) {
      busyNs += lengthNs;
      if (owners == 1 && sumOfOwners < kernelCount) exclusiveNs[sumOfOwners] += lengthNs;
    };
    sweep(intervalsOf(timeline, iteration), visitor);
    run_.busyNs.push_back(busyNs);
    run_.deviceEvents += static_cast<int64_t>(iteration.events.size());
    for (size_t e = 0; e < iteration.events.size(); ++e) {
      const int64_t durationNs = timeline.durationNs[iteration.events[e]];
      run_.deviceNs += durationNs;
      (iteration.owners[e] == kUnboundOwner ? run_.unboundNs : run_.boundNs) += durationNs;
    }
  }
  run_.iterations = static_cast<int64_t>(iterations.size());
  const std::vector<IterationTimes> selected = selectedIterationTimes(timeline);
  run_.wallNs = wallsOf(selected);
  run_.windowNs = windowsOf(selected);

  const int64_t busyTotalNs = sum(run_.busyNs);
  for (const ir::KernelId id : kernels_.ids()) {
    ir::KernelTime& kernel = kernels_[id];
    kernel.totalNs = sum(kernel.perIterationNs);
    kernel.busyWithoutNs = busyTotalNs - exclusiveNs[id.index()];
  }
}

}  // namespace amdahlc
