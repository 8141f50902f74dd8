#include "replay/timeline/forward_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace amdahlc {
namespace {

/// What launched an event, or around which operator it is; none if the trace does not say.
HostEventId launchOf(const HostFacts& host, EventIndex event) {
  return host.launch[event].isNone() ? host.launchOp[event] : host.launch[event];
}

/// When an event was launched; a stretch of self time counts by its own start.
std::optional<int64_t> launchedNs(const Timeline& timeline, EventIndex event) {
  if (!timeline.hasDevice) return timeline.startNs[event];
  const HostEventId launch = launchOf(*timeline.host, event);
  return launch.isNone() ? std::nullopt : std::optional(timeline.host->startNs[launch]);
}

/// The spans of forwards by the threads that call the model.
class SpansByThread {
 public:
  SpansByThread(const Timeline& timeline, const std::vector<ForwardSpan>& spans)
      : spans_(spans), iterations_(timeline.iterations.size()) {
    for (uint32_t span = 0; span < spans.size(); ++span)
      if (spans[span].iteration != kNoIteration)
        iterations_[static_cast<size_t>(spans[span].iteration)].threads[spans[span].track].push_back(span);
    for (InIteration& iteration : iterations_) {
      std::vector<TimeInterval> all;
      for (auto& [track, ofThread] : iteration.threads) {
        std::ranges::stable_sort(ofThread, {}, [&](uint32_t span) { return beginOf(span); });
        for (const uint32_t span : ofThread)
          if (spans[span].host) all.push_back(*spans[span].host);
      }
      std::ranges::sort(all, {}, &TimeInterval::startNs);
      for (size_t i = 1, last = 0; i < all.size(); ++i) {
        iteration.overlap |= all[i].startNs <= all[last].endNs;
        if (all[i].endNs > all[last].endNs) last = i;
      }
    }
  }

  /// The forward that an event of an iteration is of; `kNone` outside of forwards, nullopt if several could be it.
  std::optional<uint32_t> of(const Timeline& timeline, EventIndex event) const {
    const InIteration& found = iterations_[static_cast<size_t>(timeline.iteration[event])];
    if (found.threads.empty()) return ForwardGroups::kNone;
    const std::optional<int64_t> ns = launchedNs(timeline, event);
    if (found.overlap) {
      const HostEventId launch = launchOf(*timeline.host, event);
      const auto own = launch.isNone() ? found.threads.end() : found.threads.find(timeline.host->track[launch]);
      if (own != found.threads.end()) return at(own->second, ns);
    }
    uint32_t only = ForwardGroups::kNone;
    for (const auto& [track, ofThread] : found.threads) {
      const std::optional<uint32_t> one = at(ofThread, ns);
      if (!one || (*one != ForwardGroups::kNone && only != ForwardGroups::kNone)) return std::nullopt;
      if (*one != ForwardGroups::kNone) only = *one;
    }
    return only;
  }

 private:
  struct InIteration {
    /// By thread its forwards, in order of time.
    std::map<std::optional<uint32_t>, std::vector<uint32_t>> threads;
    bool overlap = false;
  };

  int64_t beginOf(uint32_t span) const { return spans_[span].host ? spans_[span].host->startNs : INT64_MIN; }

  /// The forward of a thread at a time.
  std::optional<uint32_t> at(const std::vector<uint32_t>& ofThread, std::optional<int64_t> ns) const {
    const auto behind =
        std::ranges::upper_bound(ofThread, ns.value_or(INT64_MIN), {}, [&](uint32_t span) { return beginOf(span); });
    if (behind == ofThread.begin()) return ForwardGroups::kNone;
    const uint32_t span = *std::prev(behind);
    if (spans_[span].host && (!ns || *ns > spans_[span].host->endNs)) return ForwardGroups::kNone;
    // Forwards of one thread begin at the same time if one call launched both.
    if (std::prev(behind) != ofThread.begin() && beginOf(*std::prev(behind, 2)) == beginOf(span)) return std::nullopt;
    return span;
  }

  const std::vector<ForwardSpan>& spans_;
  std::vector<InIteration> iterations_;
};

int64_t averageOf(const Timeline& timeline, const std::vector<int64_t>& samples) {
  return timeline.average == Average::Median ? lowerMedian(samples) : roundedMean(samples);
}

}  // namespace

std::vector<ForwardSpan> spansOfIterations(const Timeline& timeline) {
  std::vector<ForwardSpan> spans;
  for (size_t i = 0; i < timeline.iterations.size(); ++i)
    if (timeline.iterations[i].selected()) spans.push_back({static_cast<int32_t>(i)});
  return spans;
}

std::vector<std::optional<ForwardExtent>> extentsByIteration(const Timeline& timeline,
                                                             const std::vector<EventIndex>& events) {
  std::vector<std::optional<ForwardExtent>> extents(timeline.iterations.size());
  for (const EventIndex event : events) {
    const std::optional<int64_t> ns = launchedNs(timeline, event);
    if (!ns || timeline.iteration[event] == kNoIteration) continue;
    std::optional<ForwardExtent>& extent = extents[static_cast<size_t>(timeline.iteration[event])];
    if (!extent) extent = {event, event};
    if (*ns < *launchedNs(timeline, extent->first)) extent->first = event;
    if (*ns > *launchedNs(timeline, extent->last)) extent->last = event;
  }
  return extents;
}

std::vector<ForwardSpan> spansOf(const Timeline& timeline, const std::vector<ForwardExtent>& extents) {
  const HostFacts& host = *timeline.host;
  const auto nsOf = [&](EventIndex event) { return launchedNs(timeline, event).value_or(timeline.startNs[event]); };
  // The interval of the outermost operator around the launch of the event that is between two times, or of the launch.
  const auto around = [&](EventIndex event, int64_t fromNs, int64_t toNs) {
    const HostEventId launch = launchOf(host, event);
    if (launch.isNone()) return timeline.interval(event);
    TimeInterval widest = host.interval(launch);
    for (HostEventId at = launch; !at.isNone(); at = host.parent[at]) {
      if (host.startNs[at] <= fromNs || host.endNs(at) > toNs) break;
      if (host.kind[at] == EventKind::Operator) widest = host.interval(at);
    }
    return widest;
  };
  std::map<std::optional<uint32_t>, std::vector<uint32_t>> ofThread;
  for (uint32_t i = 0; i < extents.size(); ++i) {
    const HostEventId first = launchOf(host, extents[i].first);
    ofThread[first.isNone() ? std::nullopt : std::optional(host.track[first])].push_back(i);
  }
  std::vector<ForwardSpan> spans(extents.size());
  for (auto& [track, ofOne] : ofThread) {
    std::ranges::stable_sort(ofOne, {}, [&](uint32_t i) { return nsOf(extents[i].first); });
    int64_t beforeNs = INT64_MIN;
    for (size_t i = 0; i < ofOne.size(); ++i) {
      const ForwardExtent& extent = extents[ofOne[i]];
      const int64_t nextNs = i + 1 < ofOne.size() ? nsOf(extents[ofOne[i + 1]].first) : INT64_MAX;
      const int64_t startNs = around(extent.first, beforeNs, nextNs).startNs;
      const int64_t endNs = around(extent.last, beforeNs, nextNs).endNs;
      spans[ofOne[i]] = {timeline.iteration[extent.first], TimeInterval{startNs, std::max(startNs, endNs)}, track};
      if (i > 0) {
        int64_t& lastNs = spans[ofOne[i - 1]].host->endNs;
        lastNs = std::max(spans[ofOne[i - 1]].host->startNs, std::min(lastNs, startNs - 1));
      }
      beforeNs = std::max(beforeNs, nsOf(extent.last));
    }
  }
  return spans;
}

std::vector<ForwardSpan> spansOfModule(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  IdVector<HostEventId, HostEventId> outermost(host.size());
  for (const HostEventId event : host.kind.ids()) {
    const HostEventId parent = host.parent[event];
    if (!parent.isNone()) outermost[event] = outermost[parent];
    if (outermost[event].isNone() && host.kind[event] == EventKind::ModuleFrame) outermost[event] = event;
  }
  // By name: the device time that its calls launched.
  std::map<uint32_t, int64_t> timeOf;
  for (const EventIndex event : timeline.selectedEvents())
    if (const HostEventId launch = launchOf(host, event); !launch.isNone() && !outermost[launch].isNone())
      timeOf[host.name[outermost[launch]].index] += timeline.durationNs[event];
  int64_t allNs = 0;
  for (const auto& [name, ns] : timeOf) allNs += ns;
  const auto longest = std::ranges::max_element(timeOf, {}, [](const auto& one) { return one.second; });
  if (longest == timeOf.end() || longest->second < allNs - longest->second) return {};
  const uint32_t model = longest->first;
  std::vector<ForwardSpan> spans;
  std::map<uint32_t, size_t> lastOf;  // by thread
  for (const HostEventId event : host.kind.ids()) {
    const int32_t iteration = host.iteration[event];
    if (outermost[event] != event || host.name[event].index != model || iteration == kNoIteration ||
        !timeline.iterations[static_cast<size_t>(iteration)].selected())
      continue;
    const int64_t startNs = host.startNs[event], lastNs = std::max(startNs, host.endNs(event) - 1);
    const auto [last, isFirst] = lastOf.try_emplace(host.track[event], spans.size());
    if (!isFirst && spans[last->second].iteration == iteration && startNs <= spans[last->second].host->endNs) {
      spans[last->second].host->endNs = std::max(spans[last->second].host->endNs, lastNs);
    } else {
      last->second = spans.size();
      spans.push_back({iteration, TimeInterval{startNs, lastNs}, host.track[event]});
    }
  }
  return spans;
}

Known<ForwardGroups> groupForwards(const Timeline& timeline, const std::vector<ForwardSpan>& spans,
                                   const ForwardClasses& classes) {
  const SpansByThread threads(timeline, spans);
  std::vector<std::vector<EventIndex>> eventsOf(spans.size());
  for (const EventIndex event : timeline.selectedEvents()) {
    const std::optional<uint32_t> span = threads.of(timeline, event);
    if (!span)
      return Absence{Absence::Reason::ForwardsOverlap,
                     {std::string(timeline.text(timeline.host->name[launchOf(*timeline.host, event)]))}};
    if (*span != ForwardGroups::kNone) eventsOf[*span].push_back(event);
  }
  // Spans by iteration and begin.
  std::vector<uint32_t> order(spans.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](uint32_t span) {
    return std::pair(spans[span].iteration, spans[span].host ? spans[span].host->startNs : INT64_MIN);
  });

  ForwardGroups all;
  all.ofEvents.assign(timeline.size(), ForwardGroups::kNone);
  std::vector<uint32_t> groupOf(classes.names.size(), ForwardGroups::kNone);
  for (const uint32_t span : order) {
    if (eventsOf[span].empty()) continue;
    uint32_t& group = groupOf[classes.of[span]];
    if (group == ForwardGroups::kNone) {
      group = static_cast<uint32_t>(all.groups.size());
      all.groups.push_back({classes.names[classes.of[span]], {}});
    }
    Forward forward{group, std::move(eventsOf[span]), 0, std::nullopt};
    std::optional<TimeInterval> extent;
    for (const EventIndex event : forward.events) {
      all.ofEvents[event] = group;
      extend(extent, timeline.interval(event));
      if (!timeline.hasStarts) forward.busyNs += timeline.durationNs[event];
    }
    if (timeline.hasStarts) {
      forward.busyNs = unionLength(intervalsOf(timeline, forward.events));
      forward.wallNs = extent->lengthNs();
    }
    all.groups[group].members.push_back(static_cast<uint32_t>(all.forwards.size()));
    all.forwards.push_back(std::move(forward));
  }
  return all;
}

int64_t ForwardGroups::busyNs(const Timeline& timeline, const ForwardGroup& group) const {
  std::vector<int64_t> samples;
  for (const uint32_t member : group.members) samples.push_back(forwards[member].busyNs);
  return averageOf(timeline, samples);
}

std::optional<int64_t> ForwardGroups::wallNs(const Timeline& timeline, const ForwardGroup& group) const {
  if (!timeline.hasStarts) return std::nullopt;
  std::vector<int64_t> samples;
  for (const uint32_t member : group.members) samples.push_back(*forwards[member].wallNs);
  return averageOf(timeline, samples);
}

}  // namespace amdahlc
