#include "replay/timeline/totals.h"

#include <algorithm>
#include <functional>
#include <map>

#include "replay/timeline/group_times.h"
#include "replay/timeline/time_limits.h"

namespace amdahlc {
namespace {

/// Rows of selected events grouped by `key`, in order of the key.
std::vector<TimelineTotals::Row> groupBy(const Timeline& timeline, const std::function<std::string(EventIndex)>& key) {
  struct Group {
    TimelineTotals::Row row;
    std::map<int32_t, std::vector<TimeInterval>> byIteration;
  };
  std::map<std::string, Group> groups;
  const ReportedIterations reported(timeline);
  for (EventIndex event : timeline.selectedEvents()) {
    Group& group = groups[key(event)];
    if (reported.has(timeline.iteration[event])) ++group.row.events;
    group.row.deviceNs += timeline.durationNs[event];
    group.byIteration[timeline.iteration[event]].push_back(timeline.interval(event));
  }
  std::vector<TimelineTotals::Row> rows;
  for (auto& [name, group] : groups) {
    group.row.name = name;
    std::vector<int64_t> timesNs(static_cast<size_t>(timeline.selectedIterationCount()), 0);
    size_t place = 0;
    for (auto& [iteration, intervals] : group.byIteration) timesNs[place++] = unionLength(std::move(intervals));
    group.row.events = perIteration(group.row.events, reported.count());
    group.row.busy = timeStatistics(timesNs, timeline.average);
    rows.push_back(std::move(group.row));
  }
  return rows;
}

}  // namespace

std::vector<IterationTimes> iterationTimes(const Timeline& timeline) {
  std::vector<IterationTimes> out(timeline.iterations.size());
  std::vector<TimeInterval> extents(timeline.iterations.size(), {kMaxTimeNs, -kMaxTimeNs});
  // Events are in order of start, so that what an event adds to the union lies behind all before it.
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.iteration[event] == kNoIteration) continue;
    IterationTimes& times = out[static_cast<size_t>(timeline.iteration[event])];
    TimeInterval& extent = extents[static_cast<size_t>(timeline.iteration[event])];
    const TimeInterval interval = timeline.interval(event);
    ++times.events;
    times.deviceNs += interval.lengthNs();
    times.busyNs += std::max<int64_t>(0, interval.endNs - std::max(interval.startNs, extent.endNs));
    extent.startNs = std::min(extent.startNs, interval.startNs);
    extent.endNs = std::max(extent.endNs, interval.endNs);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    if (!timeline.hasStarts) out[i].wallNs.reset();
    out[i].spillInNs = iteration.spillInNs;
    if (iteration.startNs && iteration.endNs) out[i].windowNs = *iteration.endNs - *iteration.startNs;
    if (timeline.hasStarts && out[i].events > 0) out[i].wallNs = extents[i].lengthNs();
  }
  return out;
}

std::vector<IterationTimes> selectedIterationTimes(const Timeline& timeline) {
  return ofSelected(timeline, iterationTimes(timeline));
}

EventsByIteration eventsByIteration(const Timeline& timeline) {
  std::vector<EventsByIteration::Entry> entries;
  entries.reserve(timeline.size());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.iteration[event] != kNoIteration)
      entries.emplace_back(static_cast<size_t>(timeline.iteration[event]), event);
  return {timeline.iterations.size(), entries};
}

std::vector<TimeInterval> iterationExtents(const Timeline& timeline, const ReportedIterations& reported) {
  std::vector<std::optional<TimeInterval>> extents(timeline.iterations.size());
  for (const EventIndex event : reported.events(timeline))
    extend(extents[static_cast<size_t>(timeline.iteration[event])], timeline.interval(event));
  std::vector<TimeInterval> out;
  for (const auto& extent : extents) out.push_back(extent.value_or(TimeInterval()));
  return out;
}

namespace {

/// A time of each selected iteration; nullopt if one of them has none, or if no iteration is selected.
std::optional<std::vector<int64_t>> timesOf(const std::vector<IterationTimes>& selected,
                                            std::optional<int64_t> IterationTimes::* time) {
  if (selected.empty()) return std::nullopt;
  std::vector<int64_t> out;
  for (const IterationTimes& times : selected) {
    if (!(times.*time)) return std::nullopt;
    out.push_back(*(times.*time));
  }
  return out;
}

}  // namespace

std::optional<std::vector<int64_t>> windowsOf(const std::vector<IterationTimes>& selected) {
  return timesOf(selected, &IterationTimes::windowNs);
}

std::optional<std::vector<int64_t>> spillInsOf(const std::vector<IterationTimes>& selected) {
  return timesOf(selected, &IterationTimes::spillInNs);
}

std::optional<std::vector<int64_t>> wallsOf(const std::vector<IterationTimes>& selected) {
  return selected.empty() ? std::optional<std::vector<int64_t>>(std::in_place)
                          : timesOf(selected, &IterationTimes::wallNs);
}

std::optional<std::vector<int64_t>> idlesOf(const std::vector<IterationTimes>& selected) {
  if (!wallsOf(selected)) return std::nullopt;
  std::vector<int64_t> idlesNs;
  for (const IterationTimes& times : selected) idlesNs.push_back(*times.idleNs());
  return idlesNs;
}

TimelineTotals timelineTotals(const Timeline& timeline) {
  TimelineTotals out;
  std::vector<int64_t> busy, device;
  const std::vector<IterationTimes> selected = selectedIterationTimes(timeline);
  for (const IterationTimes& times : selected) {
    out.events += times.events;
    busy.push_back(times.busyNs);
    device.push_back(times.deviceNs);
  }
  const ReportedIterations reported(timeline);
  const auto statistics = [&](const std::vector<int64_t>& samples) {
    return timeOfIterations(samples, reported.place());
  };
  out.busy = statistics(busy);
  if (const auto walls = wallsOf(selected)) out.wall = statistics(*walls);
  if (const auto idles = idlesOf(selected)) out.idle = statistics(*idles);
  out.device = statistics(device);
  const std::vector<uint32_t> names = namesAndPlaces(timeline, [](EventIndex) { return true; });
  const auto noGroups = [](EventIndex) { return std::span<const uint32_t>(); };
  out.undisturbedNs = perIteration(
      groupTimes(timeline, reported, 0, noGroups, undisturbedFactors(timeline, names)).busyNs, reported.count());
  if (const auto windows = windowsOf(selected)) out.window = statistics(*windows);
  if (const auto spillIns = spillInsOf(selected)) out.spillIn = statistics(*spillIns);

  out.kernels = groupBy(timeline, [&](EventIndex event) { return std::string(timeline.text(timeline.name[event])); });
  std::ranges::stable_sort(out.kernels, std::ranges::greater(),
                           [](const TimelineTotals::Row& row) { return std::pair(row.busy.reportedNs, row.deviceNs); });
  out.streams = groupBy(timeline, [&](EventIndex event) {
    const Track& track = timeline.tracks[timeline.track[event]];
    return track.process + "/" + track.thread;
  });
  return out;
}

}  // namespace amdahlc
