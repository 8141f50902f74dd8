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

std::vector<uint32_t> namesAndPlaces(const Timeline& timeline, const std::function<bool(EventIndex)>& counts) {
  std::vector<uint32_t> numbers(timeline.size(), 0);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numberOf;
  for (const std::vector<EventIndex>& events : eventsByIteration(timeline)) {
    std::map<uint32_t, uint32_t> placeOf;
    for (const EventIndex event : events) {
      if (!counts(event)) continue;
      const uint32_t name = timeline.name[event].index;
      numbers[event] =
          numberOf.try_emplace({name, placeOf[name]++}, static_cast<uint32_t>(numberOf.size())).first->second;
    }
  }
  return numbers;
}

std::vector<Rational> undisturbedFactors(const Timeline& timeline, std::span<const uint32_t> keys) {
  std::vector<Rational> factors(timeline.size(), Rational::of(1));
  if (timeline.average == Average::Mean || timeline.selectedIterationCount() < 2) return factors;
  const ReportedIterations reported(timeline);
  // By key the device time in each selected iteration that has such events, and in the reported one.
  std::map<uint32_t, std::vector<int64_t>> partnersNs;
  std::map<uint32_t, int64_t> reportedNs;
  for (const std::vector<EventIndex>& events : ofSelected(timeline, eventsByIteration(timeline))) {
    std::map<uint32_t, int64_t> sumsNs;
    for (const EventIndex event : events) sumsNs[keys[event]] += timeline.durationNs[event];
    for (const auto& [key, ns] : sumsNs) partnersNs[key].push_back(ns);
    if (!events.empty() && reported.has(timeline.iteration[events.front()])) reportedNs = std::move(sumsNs);
  }
  for (const EventIndex event : reported.events(timeline))
    if (timeline.durationNs[event] > 0)
      factors[event] = Rational::of(lowerMedian(partnersNs.at(keys[event])), reportedNs.at(keys[event]));
  return factors;
}

}  // namespace amdahlc
