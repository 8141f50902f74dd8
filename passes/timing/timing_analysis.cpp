#include "passes/timing/timing_analysis.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/facets/bound.h"
#include "replay/timeline/group_times.h"
#include "replay/timeline/totals.h"

namespace amdahlc {

std::vector<Rational> eventFactors(const EventKeys& keys, const DeviceFactors& factors) {
  std::vector<Rational> byEvent;
  byEvent.reserve(keys.owners.size());
  for (EventIndex event = 0; event < keys.owners.size(); ++event) {
    const ir::KernelId owner = keys.owners[event];
    byEvent.push_back(owner == kUnboundOwner ? factors.unbound[static_cast<size_t>(keys.phase(event))]
                                             : factors.kernels[owner]);
    if (!factors.forwards.empty() && keys.forwards[event] < factors.forwards.size())
      byEvent.back() = byEvent.back() * factors.forwards[keys.forwards[event]];
  }
  return byEvent;
}

IdVector<ir::KernelId, Rational> kernelFactors(const Timeline& timeline, const EventKeys& keys,
                                               const DeviceFactors& factors) {
  IdVector<ir::KernelId, Rational> byKernel = factors.kernels;
  if (factors.forwards.empty()) return byKernel;
  // By kernel and group its time; events outside of forwards are behind the last group.
  const size_t groups = factors.forwards.size();
  std::map<ir::KernelId, std::map<size_t, int64_t>> timesNs;
  for (EventIndex event = 0; event < keys.owners.size(); ++event)
    if (keys.owners[event] != kUnboundOwner)
      timesNs[keys.owners[event]][std::min<size_t>(keys.forwards[event], groups)] += timeline.durationNs[event];
  for (const auto& [kernel, times] : timesNs) {
    const auto factorOf = [&](size_t group) { return group < groups ? factors.forwards[group] : Rational::of(1); };
    int64_t allNs = 0;
    ScaledSum changed;
    for (const auto& [group, ns] : times) {
      allNs += ns;
      changed.add(ns, factorOf(group));
    }
    // A kernel of one group has its factor, without any rounding.
    if (times.size() == 1)
      byKernel[kernel] = byKernel[kernel] * factorOf(times.begin()->first);
    else if (allNs > 0)
      byKernel[kernel] = byKernel[kernel] * Rational::of(changed.rounded(), allNs);
  }
  return byKernel;
}

std::vector<int64_t> timesOfGroups(const Timeline& timeline, const ir::Cover& cover,
                                   std::span<const std::vector<ir::KernelId>> groups) {
  IdVector<ir::KernelId, std::vector<uint32_t>> groupsOf(cover.kernels.size());
  for (uint32_t group = 0; group < groups.size(); ++group)
    for (const ir::KernelId kernel : groups[group]) groupsOf[kernel].push_back(group);
  const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *cover.facets.get<ir::BoundFacet>());
  const auto samplesNs = unionTimes(timeline, groups.size(), [&](EventIndex event) {
    return owners[event] == kUnboundOwner ? std::span<const uint32_t>() : groupsOf[owners[event]];
  });
  std::vector<int64_t> timesNs;
  for (const std::vector<int64_t>& samples : samplesNs)
    timesNs.push_back(cover.facets.get<ir::TimedFacet>()->run.ofRow(samples));
  return timesNs;
}

std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover) {
  const std::vector<ir::KernelId> owner = ir::eventOwners(timeline, *cover.facets.get<ir::BoundFacet>());
  std::vector<std::vector<EventIndex>> events = eventsByIteration(timeline);
  std::vector<OwnedEvents> result;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    OwnedEvents& iteration = result.emplace_back(OwnedEvents{std::move(events[i]), {}});
    for (const EventIndex event : iteration.events) iteration.owners.push_back(owner[event]);
  }
  return result;
}

TimingAnalysis::TimingAnalysis(const ir::Module& module, ir::CoverId id)
    : undisturbed_(ir::undisturbedFactors(*module.findTimeline(module.cover(id).traceLabel),
                                          *module.cover(id).facets.get<ir::BoundFacet>())),
      times_(ir::TimedFacet::byEvents({module, module.cover(id), module.findTimeline(module.cover(id).traceLabel)},
                                      undisturbed_)) {}

}  // namespace amdahlc
