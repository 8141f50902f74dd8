#include "replay/schedule/launch_order.h"

#include <algorithm>
#include <iterator>

namespace amdahlc::schedule {
namespace {

/// Of pairs in ascending order the second of the last one whose first is at most `limit`.
EventIndex lastUpTo(const std::vector<std::pair<int64_t, EventIndex>>& pairs, int64_t limit) {
  const auto after =
      std::upper_bound(pairs.begin(), pairs.end(), limit, [](int64_t ns, const auto& pair) { return ns < pair.first; });
  return after == pairs.begin() ? kNoEvent : std::prev(after)->second;
}

}  // namespace

LaunchOrder::LaunchOrder(const RunCalls& calls) : calls_(calls), streams_(calls.streams()) {
  const Timeline& timeline = calls.timeline();
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (calls.launchOf(event) != kNoCall) continue;
    Stream& stream = streams_[calls.streamOf(event)];
    const auto add = [&](Unlaunched& events) {
      const EventIndex last = events.empty() ? kNoEvent : events.back().second;
      events.emplace_back(timeline.startNs[event], laterEnd(last, event));
    };
    add(stream.unlaunched);
    add(unlaunched_);
    addEnd(stream.unlaunchedEnded, event);
  }
}

void LaunchOrder::advanceTo(CallIndex call) {
  for (; next_ < call; ++next_)
    for (const EventIndex event : calls_.launched(calls_.calls()[next_])) {
      Stream& stream = streams_[calls_.streamOf(event)];
      stream.launched.emplace_back(next_, event);
      addEnd(stream.ended, event);
      stream.lastToEnd = laterEnd(stream.lastToEnd, event);
      lastToEnd_ = laterEnd(lastToEnd_, event);
    }
}

EventIndex LaunchOrder::lastEndedBy(StreamIndex stream, int64_t byNs) const {
  const EventIndex launched = lastUpTo(streams_[stream].ended, byNs);
  return launched != kNoEvent ? launched : lastUpTo(streams_[stream].unlaunchedEnded, byNs);
}

EventIndex LaunchOrder::lastBefore(StreamIndex stream, CallIndex call, int64_t byNs) const {
  const auto& launched = streams_[stream].launched;
  const auto after = std::lower_bound(launched.begin(), launched.end(), call,
                                      [](const auto& pair, CallIndex limit) { return pair.first < limit; });
  return after != launched.begin() ? std::prev(after)->second : lastUpTo(streams_[stream].unlaunchedEnded, byNs);
}

EventIndex LaunchOrder::laterEnd(EventIndex a, EventIndex b) const {
  if (a == kNoEvent || b == kNoEvent) return a == kNoEvent ? b : a;
  return calls_.timeline().endNs(b) >= calls_.timeline().endNs(a) ? b : a;
}

EventIndex LaunchOrder::lastUnlaunched(const Unlaunched& events, int64_t byNs) const { return lastUpTo(events, byNs); }

void LaunchOrder::addEnd(std::vector<std::pair<int64_t, EventIndex>>& ended, EventIndex event) const {
  // An earlier launch that ends no earlier is never the last that had ended.
  const int64_t endNs = calls_.timeline().endNs(event);
  while (!ended.empty() && ended.back().first >= endNs) ended.pop_back();
  ended.emplace_back(endNs, event);
}

}  // namespace amdahlc::schedule
