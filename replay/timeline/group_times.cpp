#include "replay/timeline/group_times.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "support/statistics.h"

namespace amdahlc {

namespace {

std::vector<std::vector<int64_t>> unionsOf(const Timeline& timeline, const EventsByIteration& iterations,
                                           size_t groupCount, const GroupsOf& groupsOf) {
  std::vector<std::vector<int64_t>> timesNs(groupCount);
  // By group, the end of its events so far.
  std::vector<int64_t> endsNs(groupCount);
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    for (std::vector<int64_t>& times : timesNs) times.push_back(0);
    std::ranges::fill(endsNs, std::numeric_limits<int64_t>::min());
    for (const EventIndex event : iterations[i])
      for (const uint32_t group : groupsOf(event)) {
        const int64_t fromNs = std::max(timeline.startNs[event], endsNs[group]), endNs = timeline.endNs(event);
        timesNs[group].back() += std::max<int64_t>(0, endNs - fromNs);
        endsNs[group] = std::max(endsNs[group], endNs);
      }
  }
  return timesNs;
}

}  // namespace

std::vector<std::vector<int64_t>> unionTimes(const Timeline& timeline, size_t groupCount, const GroupsOf& groupsOf) {
  return unionsOf(timeline, eventsByIteration(timeline), groupCount, groupsOf);
}

GroupTimes groupTimes(const Timeline& timeline, const ReportedIterations& reported, size_t groupCount,
                      const GroupsOf& groupsOf, std::span<const Rational> factors) {
  const EventsByIteration iterations = eventsByIteration(timeline);
  const bool areEqual = std::ranges::all_of(factors, [](const Rational& one) { return one == Rational{1, 1}; });
  GroupTimes out{std::vector<GroupTime>(groupCount)};
  std::vector<std::vector<int64_t>> timesNs = unionsOf(timeline, iterations, groupCount, groupsOf);
  for (size_t group = 0; group < groupCount; ++group) out.groups[group].perIterationNs = std::move(timesNs[group]);
  ScaledSum busy;
  /// What busy time loses with the group.
  std::vector<ScaledSum> own(groupCount), scaled(groupCount);
  std::vector<uint32_t> activeIn(groupCount, 0);
  // By group, the number of the last segment in which it is active.
  std::vector<size_t> lastSegment(groupCount, 0);
  size_t segments = 0, selectedIterations = 0;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    const size_t selected = selectedIterations++;
    const bool isReported = reported.has(static_cast<int32_t>(i));
    const std::span<const EventIndex> events = iterations[i];
    for (const EventIndex event : events)
      for (const uint32_t group : groupsOf(event)) {
        ++out.groups[group].eventsTotal;
        if (isReported) ++out.groups[group].events;
      }
    if (!isReported) continue;
    if (areEqual)
      for (size_t group = 0; group < groupCount; ++group)
        scaled[group].add(out.groups[group].perIterationNs[selected], Rational::of(1));
    // By factor.
    std::set<std::pair<Rational, uint32_t>> active;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t interval, int64_t) {
      active.emplace(factors[events[interval]], interval);
      for (const uint32_t group : groupsOf(events[interval])) ++activeIn[group];
    };
    visitor.ends = [&](uint32_t interval, int64_t) {
      active.erase({factors[events[interval]], interval});
      for (const uint32_t group : groupsOf(events[interval])) --activeIn[group];
    };
    // Only the groups of the event with the largest factor can make the segment shorter: to the largest factor of the
    // events that are not in the group.
    visitor.segment = [&](int64_t lengthNs) {
      const auto largest = std::prev(active.end());
      busy.add(lengthNs, largest->first);
      ++segments;
      // The first event of a group in this order has its largest factor.
      if (!areEqual)
        for (auto one = active.rbegin(); one != active.rend(); ++one)
          for (const uint32_t group : groupsOf(events[one->second]))
            if (std::exchange(lastSegment[group], segments) != segments) scaled[group].add(lengthNs, one->first);
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
    out.groups[group].scaledNs = scaled[group].rounded();
  }
  return out;
}

std::vector<uint32_t> namesAndPlaces(const Timeline& timeline, const std::function<bool(EventIndex)>& counts) {
  std::vector<uint32_t> numbers(timeline.size(), 0);
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> numberOf;
  const EventsByIteration iterations = eventsByIteration(timeline);
  for (size_t i = 0; i < iterations.size(); ++i) {
    std::map<uint32_t, uint32_t> placeOf;
    for (const EventIndex event : iterations[i]) {
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
  // By key the device time in each selected iteration that has such events, and in the reported one. Keys are dense.
  const size_t keyCount = keys.empty() ? 0 : *std::ranges::max_element(keys) + size_t{1};
  std::vector<std::vector<int64_t>> partnersNs(keyCount);
  std::vector<int64_t> sumsNs(keyCount, 0), reportedNs;
  std::vector<bool> isFound(keyCount, false);
  std::vector<uint32_t> found;
  const EventsByIteration iterations = eventsByIteration(timeline);
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    for (const EventIndex event : iterations[i]) {
      const uint32_t key = keys[event];
      if (!isFound[key]) {
        isFound[key] = true;
        found.push_back(key);
        sumsNs[key] = 0;
      }
      sumsNs[key] += timeline.durationNs[event];
    }
    if (reported.has(static_cast<int32_t>(i))) reportedNs = sumsNs;
    for (const uint32_t key : found) {
      partnersNs[key].push_back(sumsNs[key]);
      isFound[key] = false;
    }
    found.clear();
  }
  for (const EventIndex event : reported.events(timeline))
    if (timeline.durationNs[event] > 0)
      factors[event] = Rational::of(lowerMedian(partnersNs[keys[event]]), reportedNs[keys[event]]);
  return factors;
}

}  // namespace amdahlc
