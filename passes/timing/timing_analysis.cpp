#include "passes/timing/timing_analysis.h"

#include <utility>

#include "ir/facets/bound.h"
#include "replay/timeline/totals.h"

namespace amdahlc {

std::vector<Rational> eventFactors(std::span<const ir::KernelId> owners, std::span<const Phase> phases,
                                   const DeviceFactors& factors) {
  std::vector<Rational> byEvent;
  byEvent.reserve(owners.size());
  for (EventIndex event = 0; event < owners.size(); ++event) {
    const Phase phase = phases.empty() ? Phase::Other : phases[event];
    byEvent.push_back(owners[event] == kUnboundOwner ? factors.unbound[static_cast<size_t>(phase)]
                                                     : factors.kernels[owners[event]]);
  }
  return byEvent;
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
