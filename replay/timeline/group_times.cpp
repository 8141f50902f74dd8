#include "replay/timeline/group_times.h"

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"

namespace amdahlc {

std::vector<GroupTime> groupTimes(const Timeline& timeline, size_t groupCount,
                                  const std::function<std::span<const uint32_t>(EventIndex)>& groupsOf) {
  const std::vector<std::vector<EventIndex>> iterations = eventsByIteration(timeline);
  std::vector<GroupTime> groups(groupCount);
  std::vector<uint32_t> activeIn(groupCount, 0);
  std::vector<int64_t> sinceNs(groupCount, 0);
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    for (GroupTime& group : groups) group.perIterationNs.push_back(0);
    const std::vector<EventIndex>& events = iterations[i];
    for (const EventIndex event : events)
      for (const uint32_t group : groupsOf(event)) ++groups[group].events;
    std::vector<bool> isActive(events.size());
    // Those that began; one that ended is removed when it is last.
    std::vector<uint32_t> begun;
    size_t count = 0;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t interval, int64_t timeNs) {
      isActive[interval] = true;
      begun.push_back(interval);
      ++count;
      for (const uint32_t group : groupsOf(events[interval]))
        if (activeIn[group]++ == 0) sinceNs[group] = timeNs;
    };
    visitor.ends = [&](uint32_t interval, int64_t timeNs) {
      isActive[interval] = false;
      --count;
      for (const uint32_t group : groupsOf(events[interval]))
        if (--activeIn[group] == 0) groups[group].perIterationNs.back() += timeNs - sinceNs[group];
    };
    // A group is alone if it contains every active event. The groups of any one active event are the only candidates.
    visitor.segment = [&](int64_t lengthNs) {
      while (!isActive[begun.back()]) begun.pop_back();
      for (const uint32_t group : groupsOf(events[begun.back()]))
        if (activeIn[group] == count) groups[group].exclusiveNs += lengthNs;
    };
    sweep(intervalsOf(timeline, events), visitor);
  }
  return groups;
}

}  // namespace amdahlc
