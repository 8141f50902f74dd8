#include "passes/host/thread_events.h"

#include <algorithm>

namespace amdahlc {

ThreadEvents::ThreadEvents(const Timeline& timeline) : timeline_(timeline), startNs_(timeline.tracks.size()) {
  const HostFacts& host = *timeline.host;
  for (const HostEventId event : host.kind.ids()) {
    std::vector<int64_t>& starts = startNs_[host.track[event]];
    position_.push_back(static_cast<uint32_t>(starts.size()));
    if (isRecorded(host.kind[event])) starts.push_back(host.startNs[event]);
  }
}

bool ThreadEvents::isRecorded(EventKind kind) {
  return kind == EventKind::Operator || kind == EventKind::Runtime || kind == EventKind::Annotation ||
         kind == EventKind::Frame || kind == EventKind::ModuleFrame;
}

int64_t ThreadEvents::lowerBound(uint32_t track, int64_t ns) const {
  const std::vector<int64_t>& starts = startNs_[track];
  return std::lower_bound(starts.begin(), starts.end(), ns) - starts.begin();
}

int64_t ThreadEvents::between(HostEventId after, int64_t fromNs, HostEventId before) const {
  const uint32_t track = timeline_.host->track[after];
  const int64_t first = std::max<int64_t>(int64_t{position_[after]} + 1, lowerBound(track, fromNs));
  return std::max<int64_t>(0, int64_t{position_[before]} - first);
}

int64_t ThreadEvents::behind(HostEventId after, int64_t fromNs, int64_t toNs) const {
  const uint32_t track = timeline_.host->track[after];
  const int64_t first = std::max<int64_t>(int64_t{position_[after]} + 1, lowerBound(track, fromNs));
  return std::max<int64_t>(0, lowerBound(track, toNs) - first);
}

}  // namespace amdahlc
