#include "replay/schedule/run_model.h"

#include <map>
#include <tuple>

namespace amdahlc::schedule {
namespace {

std::vector<ThreadIndex> findThreadsOfIterations(const RunCalls& calls) {
  const Timeline& timeline = calls.timeline();
  std::map<std::tuple<int64_t, int64_t, std::string_view>, size_t> wanted;
  for (size_t i = 0; i < timeline.iterations.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    if (iteration.startNs && iteration.endNs) wanted[{*iteration.startNs, *iteration.endNs, iteration.name}] = i;
  }
  std::vector<ThreadIndex> threads(timeline.iterations.size(), kNoTrack);
  const HostFacts& host = calls.host();
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Annotation) continue;
    const auto found = wanted.find({host.startNs[event], host.endNs(event), timeline.text(host.name[event])});
    if (found != wanted.end() && threads[found->second] == kNoTrack)
      threads[found->second] = calls.threadOfTrack(host.track[event]);
  }
  return threads;
}

std::vector<std::vector<EventIndex>> findEventsOfIterations(const Timeline& timeline) {
  std::vector<std::vector<EventIndex>> events(timeline.iterations.size());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.iteration[event] != kNoIteration)
      events[static_cast<size_t>(timeline.iteration[event])].push_back(event);
  return events;
}

}  // namespace

RunModel::RunModel(const Timeline& timeline)
    : calls(timeline),
      waits(calls),
      handOvers(calls),
      constants(calls, waits),
      releases(findReleases(calls, waits, constants)),
      eventsOfIterations(findEventsOfIterations(timeline)),
      threadsOfIterations(findThreadsOfIterations(calls)) {}

}  // namespace amdahlc::schedule
