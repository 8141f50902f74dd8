#include "replay/schedule/run_model.h"

#include <map>
#include <tuple>

#include "replay/timeline/totals.h"

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

}  // namespace

RunModel::RunModel(const Timeline& timeline)
    : calls(timeline),
      waits(calls),
      handOvers(calls),
      constants(calls, waits),
      releases(findReleases(calls, waits, constants)),
      eventsOfIterations(eventsByIteration(timeline)),
      threadsOfIterations(findThreadsOfIterations(calls)) {}

}  // namespace amdahlc::schedule
