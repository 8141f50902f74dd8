#include "replay/schedule/run_model.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace amdahlc::schedule {
namespace {

/// An annotation may end so long before the call that it ends with: old recorders count microseconds.
constexpr int64_t kWindowToleranceNs = 1'000;

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
    if (found != wanted.end() && threads[found->second] == kNoTrack) threads[found->second] = calls.threadOf(event);
  }
  return threads;
}

std::vector<int64_t> findEndsOfIterations(const RunCalls& calls, const Waits& waits,
                                          const std::vector<ThreadIndex>& threads) {
  std::vector<int64_t> ends(threads.size(), 0);
  for (size_t i = 0; i < threads.size(); ++i) {
    if (threads[i] == kNoTrack) continue;
    ends[i] = *calls.timeline().iterations[i].endNs;
    const auto waited = waits.ofThread(threads[i]);
    const auto next =
        std::ranges::upper_bound(waited, ends[i], {}, [&](CallIndex call) { return calls.calls()[call].endNs; });
    if (next != waited.end() && calls.calls()[*next].startNs <= ends[i] &&
        calls.calls()[*next].endNs <= ends[i] + kWindowToleranceNs)
      ends[i] = calls.calls()[*next].endNs;
  }
  return ends;
}

std::vector<Release> findReleases(const RunCalls& calls, const Waits& waits, const Constants& constants) {
  const Timeline& timeline = calls.timeline();
  std::vector<Release> releases(timeline.size());
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    Release& release = releases[event];
    const int64_t startNs = timeline.startNs[event];
    // When it could have started, by the latest cause so far.
    std::optional<int64_t> expectedNs;
    const auto consider = [&](Release::Kind kind, EventIndex by, int64_t atNs, int64_t delayNs) {
      const int64_t momentNs = std::min(atNs, startNs);
      if (expectedNs && std::tuple(atNs + delayNs, momentNs) < std::tuple(*expectedNs, release.momentNs)) return;
      expectedNs = atNs + delayNs;
      release.kind = kind;
      release.event = by;
      release.momentNs = momentNs;
    };
    if (calls.isFirstOfLaunch(event)) {
      const Call& call = calls.calls()[calls.launchOf(event)];
      if (waits.startsInsideLaunch(event))
        consider(Release::Kind::InsideLaunch, kNoEvent, call.startNs, constants.latencyNs(event));
      else
        consider(Release::Kind::Launch, kNoEvent, call.endNs, constants.latencyNs(event));
    }
    const EventIndex before = calls.before(event);
    if (before != kNoEvent)
      consider(Release::Kind::Stream, before, timeline.endNs(before), constants.turnAroundNs(event));
    for (const EventIndex source : waits.sources(event))
      consider(Release::Kind::Source, source, timeline.endNs(source), constants.eventToEventNs());

    const bool isTooLate = expectedNs && startNs - release.momentNs > constants.longestDelayNs();
    release.isCarriedIn =
        before == kNoEvent && (isTooLate || calls.launchOf(event) == kNoCall || release.kind == Release::Kind::None);
    if (isTooLate && !release.isCarriedIn) release.unexplainedNs = std::max<int64_t>(0, startNs - *expectedNs);
  }
  return releases;
}

}  // namespace

RunModel::RunModel(const Timeline& timeline)
    : calls(timeline),
      waits(calls),
      handOvers(calls),
      constants(calls, waits),
      releases(findReleases(calls, waits, constants)),
      eventsOfIterations(eventsByIteration(timeline)),
      reported(timeline),
      threadsOfIterations(findThreadsOfIterations(calls)),
      endsOfIterations(findEndsOfIterations(calls, waits, threadsOfIterations)) {}

}  // namespace amdahlc::schedule
