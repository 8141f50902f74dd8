#include "replay/timeline/forward_calls.h"

#include <algorithm>
#include <set>

namespace amdahlc {

ForwardCalls::ForwardCalls(const Timeline& timeline, const Phases& phases) : timeline_(timeline), phases_(phases) {
  const HostFacts& host = *timeline.host;
  for (const HostEventId event : host.kind.ids()) {
    const int64_t number = host.sequenceNumber[event];
    if (number < 0 || host.kind[event] != EventKind::Operator || host.forwardThread[event] != 0) continue;
    // A step, and the node that it evaluates, have the number of their forward call. Other operators inside may have
    // numbers of their own, because the forward pass is computed again there, or gradients of gradients are wanted.
    const HostEventId step = phases.backwardStep(event);
    if (!step.isNone() && (step == event || host.sequenceNumber[step] == number)) continue;
    std::vector<Creator>& creators = byNumber_[number];
    const auto same = std::ranges::find(creators, host.track[event], &Creator::track);
    if (same == creators.end())
      creators.push_back({host.track[event], event});
    else
      same->call = event;
  }
  findThreads();
}

std::vector<ForwardCalls::Creator> ForwardCalls::creators(HostEventId step) const {
  const HostFacts& host = *timeline_.host;
  const auto found = byNumber_.find(host.sequenceNumber[step]);
  if (found == byNumber_.end()) return {};
  std::vector<Creator> creators;
  for (const Creator& creator : found->second)
    if (timeline_.tracks[creator.track].process == timeline_.tracks[host.track[step]].process)
      creators.push_back(creator);
  return creators;
}

void ForwardCalls::findThreads() {
  const HostFacts& host = *timeline_.host;
  struct Steps {
    int64_t count = 0;
    /// How many of their numbers occur in each track.
    std::map<uint32_t, int64_t> inTrack;
  };
  std::map<std::pair<std::string_view, int32_t>, Steps> stepsOf;
  for (const HostEventId event : host.kind.ids()) {
    if (host.forwardThread[event] == 0 || phases_.backwardStep(event) != event) continue;
    const std::vector<Creator> all = creators(event);
    if (all.empty()) continue;
    Steps& steps = stepsOf[{timeline_.tracks[host.track[event]].process, host.forwardThread[event]}];
    ++steps.count;
    for (const Creator& creator : all) ++steps.inTrack[creator.track];
  }
  // A track is of one thread: what is known of one excludes it for others.
  std::set<uint32_t> taken;
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (const auto& [thread, steps] : stepsOf) {
      if (trackOf_.contains(thread)) continue;
      std::vector<uint32_t> possible;
      for (const auto& [track, count] : steps.inTrack)
        if (count == steps.count && !taken.contains(track)) possible.push_back(track);
      if (possible.size() != 1) continue;
      trackOf_.emplace(thread, possible.front());
      taken.insert(possible.front());
      isNew = true;
    }
  }
}

HostEventId ForwardCalls::of(HostEventId call) const {
  const HostEventId step = phases_.backwardStep(call);
  if (step.isNone()) return {};
  const HostFacts& host = *timeline_.host;
  const std::vector<Creator> all = creators(step);
  if (const int32_t thread = host.forwardThread[step]; thread != 0) {
    const auto track = trackOf_.find({timeline_.tracks[host.track[step]].process, thread});
    if (track == trackOf_.end()) return {};
    const auto found = std::ranges::find(all, track->second, &Creator::track);
    return found == all.end() ? HostEventId() : found->call;
  }
  return all.size() == 1 ? all.front().call : HostEventId();
}

}  // namespace amdahlc
