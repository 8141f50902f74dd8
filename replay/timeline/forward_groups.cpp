#include "replay/timeline/forward_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace amdahlc {
namespace {

/// The outermost operator around the call, or the call itself where no operator is around it.
HostEventId outermostOperator(const HostFacts& host, HostEventId call) {
  HostEventId outermost = call;
  for (HostEventId at = call; !at.isNone(); at = host.parent[at])
    if (host.kind[at] == EventKind::Operator) outermost = at;
  return outermost;
}

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

ForwardSpan spanOf(const Timeline& timeline, const ForwardExtent& extent) {
  const HostFacts& host = *timeline.host;
  const auto around = [&](EventIndex event) {
    const HostEventId launch = launchOf(host, event);
    return launch.isNone() ? timeline.interval(event) : host.interval(outermostOperator(host, launch));
  };
  const HostEventId first = launchOf(host, extent.first);
  const int64_t startNs = around(extent.first).startNs;
  return {timeline.iteration[extent.first], TimeInterval{startNs, std::max(startNs, around(extent.last).endNs)},
          first.isNone() ? std::nullopt : std::optional(host.track[first])};
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
  for (const HostEventId event : host.kind.ids()) {
    const int32_t iteration = host.iteration[event];
    if (outermost[event] != event || host.name[event].index != model || iteration == kNoIteration ||
        !timeline.iterations[static_cast<size_t>(iteration)].selected())
      continue;
    const int64_t startNs = host.startNs[event], lastNs = std::max(startNs, host.endNs(event) - 1);
    if (!spans.empty() && spans.back().iteration == iteration && startNs <= spans.back().host->endNs)
      spans.back().host->endNs = std::max(spans.back().host->endNs, lastNs);
    else
      spans.push_back({iteration, TimeInterval{startNs, lastNs}, host.track[event]});
  }
  return spans;
}

ForwardGroups::ForwardGroups(const Timeline& timeline, const std::vector<ForwardSpan>& spans,
                             const ForwardClasses& classes)
    : ofEvents(timeline.size(), kNone) {
  // Spans by iteration and begin.
  std::vector<uint32_t> order(spans.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto beginOf = [&](uint32_t span) {
    return std::pair(spans[span].iteration, spans[span].host ? spans[span].host->startNs : INT64_MIN);
  };
  std::ranges::stable_sort(order, {}, beginOf);
  const auto spanAt = [&](EventIndex event) {
    const std::optional<int64_t> ns = launchedNs(timeline, event);
    const auto behind =
        std::ranges::upper_bound(order, std::pair(timeline.iteration[event], ns.value_or(INT64_MIN)), {}, beginOf);
    if (behind == order.begin()) return kNone;
    const ForwardSpan& span = spans[*std::prev(behind)];
    const bool isIn = span.iteration == timeline.iteration[event] && (!span.host || (ns && *ns <= span.host->endNs));
    return isIn ? *std::prev(behind) : kNone;
  };
  std::vector<std::vector<EventIndex>> eventsOf(spans.size());
  for (const EventIndex event : timeline.selectedEvents())
    if (const uint32_t span = spanAt(event); span != kNone) eventsOf[span].push_back(event);

  std::vector<uint32_t> groupOf(classes.names.size(), kNone);
  for (const uint32_t span : order) {
    if (eventsOf[span].empty()) continue;
    uint32_t& group = groupOf[classes.of[span]];
    if (group == kNone) {
      group = static_cast<uint32_t>(groups.size());
      groups.push_back({classes.names[classes.of[span]], {}});
    }
    Forward forward{group, std::move(eventsOf[span]), 0, std::nullopt};
    std::optional<TimeInterval> extent;
    for (const EventIndex event : forward.events) {
      ofEvents[event] = group;
      extend(extent, timeline.interval(event));
      if (!timeline.hasStarts) forward.busyNs += timeline.durationNs[event];
    }
    if (timeline.hasStarts) {
      forward.busyNs = unionLength(intervalsOf(timeline, forward.events));
      forward.wallNs = extent->lengthNs();
    }
    groups[group].members.push_back(static_cast<uint32_t>(forwards.size()));
    forwards.push_back(std::move(forward));
  }
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
