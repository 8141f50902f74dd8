#include "replay/schedule/one_thread.h"

#include <algorithm>
#include <utility>

#include "replay/schedule/scaled_time.h"
#include "replay/timeline/totals.h"

namespace amdahlc::schedule {

std::optional<OneThread> OneThread::of(const Timeline& timeline) {
  if (timeline.hasDevice || timeline.absenceOfTrace()) return std::nullopt;
  const HostFacts& host = *timeline.host;
  std::optional<uint32_t> track;
  const auto isOther = [&](uint32_t one) {
    if (!track) track = one;
    return *track != one;
  };
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.isSelected(event) && isOther(timeline.track[event])) return std::nullopt;
  for (const HostEventId event : host.kind.ids()) {
    const int32_t iteration = host.iteration[event];
    if (iteration != kNoIteration && timeline.iterations[static_cast<size_t>(iteration)].selected() &&
        isNamedWork(host.kind[event]) && isOther(host.track[event]))
      return std::nullopt;
  }
  if (!track) return std::nullopt;
  OneThread found(timeline, *track);
  found.findBetween();
  return found;
}

void OneThread::findBetween() {
  const EventsByIteration iterations = eventsByIteration(*timeline_);
  for (size_t i = 0; i < iterations.size(); ++i) {
    const Iteration& iteration = timeline_->iterations[i];
    const std::span<const EventIndex> events = iterations[i];
    if (events.empty()) continue;
    const auto add = [&](int64_t fromNs, int64_t toNs, size_t place) {
      if (fromNs < toNs)
        between_.push_back({{fromNs, toNs}, static_cast<int32_t>(i), place, place > 0 && place < events.size()});
    };
    int64_t endNs = iteration.startNs.value_or(timeline_->startNs[events.front()]);
    for (size_t place = 0; place < events.size(); ++place) {
      add(endNs, timeline_->startNs[events[place]], place);
      endNs = std::max(endNs, timeline_->endNs(events[place]));
    }
    add(endNs, iteration.endNs.value_or(endNs), events.size());
  }
}

std::vector<std::string> OneThread::names() const {
  return namesOfHostWork(*timeline_, [this](uint32_t track) { return threadOf(track); });
}

OneThread::Changed OneThread::changed(const Changes& changes) const {
  std::vector<HostStretch> stretches =
      namedStretches(*timeline_, 1, [this](uint32_t track) { return threadOf(track); }, changes.named);
  stretches.insert(stretches.end(), changes.stretches.begin(), changes.stretches.end());
  const HostTime operators(Rational::of(1), stretches), others(changes.host, stretches);
  Changed changed;
  changed.events.assign(timeline_->size(), Rational::of(1));
  for (EventIndex event = 0; !stretches.empty() && event < timeline_->size(); ++event)
    if (const int64_t ns = timeline_->durationNs[event]; ns > 0)
      changed.events[event] =
          Rational::of(operators.between(0, timeline_->startNs[event], timeline_->endNs(event)), ns);
  const ReportedIterations reported(*timeline_);
  for (const TimeBetween& one : between_) {
    if (!reported.has(one.iteration)) continue;
    const int64_t savedNs = one.interval.lengthNs() - others.between(0, one.interval.startNs, one.interval.endNs);
    changed.windowSavedNs += savedNs;
    if (one.isOfWall) changed.wallSavedNs += savedNs;
  }
  return changed;
}

}  // namespace amdahlc::schedule
