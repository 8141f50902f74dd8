#include "passes/emit/aggregates.h"

#include <algorithm>

#include "timeline/interval.h"

namespace amdahlc {

std::vector<GroupTime> groupTimes(
    const Timeline& timeline, const ir::Cover& cover, size_t groupCount,
    const std::function<const std::vector<uint32_t>&(EventIndex, ir::KernelId)>& groupsOf) {
  const std::vector<OwnedEvents> iterations = ownedEvents(timeline, cover);
  std::vector<GroupTime> groups(groupCount);
  for (GroupTime& group : groups) group.perIterationNs.assign(iterations.size(), 0);

  std::vector<uint32_t> present;
  for (size_t i = 0; i < iterations.size(); ++i) {
    const OwnedEvents& iteration = iterations[i];
    std::vector<Interval> intervals;
    std::vector<const std::vector<uint32_t>*> memberships;
    for (size_t e = 0; e < iteration.events.size(); ++e) {
      intervals.push_back({timeline.startNs[iteration.events[e]], timeline.endNs(iteration.events[e])});
      memberships.push_back(&groupsOf(iteration.events[e], iteration.owners[e]));
      for (uint32_t group : *memberships.back()) ++groups[group].events;
    }
    forEachSegment(intervals, [&](int64_t lengthNs, std::span<const uint32_t> active) {
      present.clear();
      for (uint32_t event : active)
        present.insert(present.end(), memberships[event]->begin(), memberships[event]->end());
      std::sort(present.begin(), present.end());
      // Runs of equal groups: a group alone in the segment is one in which every active event is a member.
      for (size_t begin = 0; begin < present.size();) {
        size_t end = begin;
        while (end < present.size() && present[end] == present[begin]) ++end;
        GroupTime& group = groups[present[begin]];
        group.perIterationNs[i] += lengthNs;
        if (end - begin == active.size()) group.exclusiveNs += lengthNs;
        begin = end;
      }
    });
  }
  return groups;
}

std::vector<std::string> enclosingScopes(const std::string& scope) {
  std::vector<std::string> scopes;
  for (std::string current = scope; !current.empty();) {
    scopes.push_back(current);
    const size_t dot = current.rfind('.');
    current = dot == std::string::npos ? "" : current.substr(0, dot);
  }
  return scopes;
}

}  // namespace amdahlc
