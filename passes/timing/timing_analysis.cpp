#include "passes/timing/timing_analysis.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/facets/bound.h"
#include "replay/timeline/group_times.h"
#include "replay/timeline/totals.h"

namespace amdahlc {

std::vector<int64_t> timesOfGroups(const Timeline& timeline, const ir::Cover& cover,
                                   std::span<const std::vector<ir::KernelId>> groups) {
  IdVector<ir::KernelId, std::vector<uint32_t>> groupsOf(cover.kernels.size());
  for (uint32_t group = 0; group < groups.size(); ++group)
    for (const ir::KernelId kernel : groups[group]) groupsOf[kernel].push_back(group);
  const std::vector<ir::KernelId> owners = ir::eventOwners(timeline, *cover.facets.get<ir::BoundFacet>());
  const GroupTimes times = groupTimes(
      timeline, ReportedIterations(timeline), groups.size(),
      [&](EventIndex event) {
        return owners[event] == kUnboundOwner ? std::span<const uint32_t>() : groupsOf[owners[event]];
      },
      ir::undisturbedFactors(timeline, *cover.facets.get<ir::BoundFacet>()));
  std::vector<int64_t> timesNs;
  for (const GroupTime& group : times.groups) timesNs.push_back(group.scaledNs);
  return timesNs;
}

std::vector<OwnedEvents> ownedEvents(const Timeline& timeline, const ir::Cover& cover) {
  const std::vector<ir::KernelId> owner = ir::eventOwners(timeline, *cover.facets.get<ir::BoundFacet>());
  const EventsByIteration events = eventsByIteration(timeline);
  std::vector<OwnedEvents> result;
  for (size_t i = 0; i < events.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    OwnedEvents& iteration = result.emplace_back(OwnedEvents{{events[i].begin(), events[i].end()}, {}});
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
