#include "replay/timeline/group_times.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc {

GroupTimes groupTimes(const Timeline& timeline, size_t groupCount,
                      const std::function<std::span<const uint32_t>(EventIndex)>& groupsOf,
                      std::span<const Rational> factors) {
  const std::vector<std::vector<EventIndex>> iterations = eventsByIteration(timeline);
  const ReportedIterations reported(timeline);
  const bool areEqual = std::ranges::all_of(factors, [](const Rational& one) { return one == Rational::of(1); });
  GroupTimes out{std::vector<GroupTime>(groupCount)};
  ScaledSum busy;
  /// What busy time loses with the group.
  std::vector<ScaledSum> own(groupCount);
  std::vector<uint32_t> activeIn(groupCount, 0);
  std::vector<int64_t> sinceNs(groupCount, 0);
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    const bool isReported = reported.has(static_cast<int32_t>(i));
    for (GroupTime& group : out.groups) group.perIterationNs.push_back(0);
    const std::vector<EventIndex>& events = iterations[i];
    for (const EventIndex event : events)
      for (const uint32_t group : groupsOf(event)) {
        ++out.groups[group].eventsTotal;
        if (isReported) ++out.groups[group].events;
      }
    // By factor.
    std::set<std::pair<Rational, uint32_t>> active;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t interval, int64_t timeNs) {
      if (isReported) active.emplace(factors[events[interval]], interval);
      for (const uint32_t group : groupsOf(events[interval]))
        if (activeIn[group]++ == 0) sinceNs[group] = timeNs;
    };
    visitor.ends = [&](uint32_t interval, int64_t timeNs) {
      if (isReported) active.erase({factors[events[interval]], interval});
      for (const uint32_t group : groupsOf(events[interval]))
        if (--activeIn[group] == 0) out.groups[group].perIterationNs.back() += timeNs - sinceNs[group];
    };
    // Only the groups of the event with the largest factor can make the segment shorter: to the largest factor of the
    // events that are not in the group.
    visitor.segment = [&](int64_t lengthNs) {
      if (!isReported) return;
      const auto largest = std::prev(active.end());
      busy.add(lengthNs, largest->first);
      for (const uint32_t group : groupsOf(events[largest->second])) {
        const bool isAlone = activeIn[group] == active.size();
        if (!isAlone && areEqual) continue;
        own[group].add(lengthNs, largest->first);
        if (isAlone) continue;
        ScaledSum rest;
        rest.add(lengthNs, std::find_if(active.rbegin(), active.rend(), [&](const auto& one) {
                             return std::ranges::find(groupsOf(events[one.second]), group) ==
                                    groupsOf(events[one.second]).end();
                           })->first);
        own[group] -= rest;
      }
    };
    sweep(intervalsOf(timeline, events), visitor);
  }
  out.busyNs = busy.rounded();
  for (size_t group = 0; group < groupCount; ++group) {
    ScaledSum without = busy;
    out.groups[group].busyWithoutNs = (without -= own[group]).rounded();
  }
  return out;
}

std::vector<Rational> undisturbedFactors(const Timeline& timeline, std::span<const uint32_t> keys) {
  std::vector<Rational> factors(timeline.size(), Rational::of(1));
  if (timeline.average == Average::Mean || timeline.selectedIterationCount() < 2) return factors;
  const ReportedIterations reported(timeline);
  struct Partners {
    std::vector<int64_t> durationsNs;
    std::optional<EventIndex> reported;
  };
  std::map<std::pair<uint32_t, uint32_t>, Partners> byPlace;
  for (const std::vector<EventIndex>& events : ofSelected(timeline, eventsByIteration(timeline))) {
    std::map<uint32_t, uint32_t> places;
    for (const EventIndex event : events) {
      Partners& partners = byPlace[{keys[event], places[keys[event]]++}];
      partners.durationsNs.push_back(timeline.durationNs[event]);
      if (reported.has(timeline.iteration[event])) partners.reported = event;
    }
  }
  for (const auto& [place, partners] : byPlace)
    if (partners.reported && timeline.durationNs[*partners.reported] > 0)
      factors[*partners.reported] =
          Rational::of(lowerMedian(partners.durationsNs), timeline.durationNs[*partners.reported]);
  return factors;
}

}  // namespace amdahlc
