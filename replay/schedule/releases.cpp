#include "replay/schedule/releases.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace amdahlc::schedule {

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

}  // namespace amdahlc::schedule
