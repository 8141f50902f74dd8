#include "report/aggregates.h"

#include <algorithm>
#include <set>

#include "support/limits.h"

namespace amdahlc {

std::vector<GroupTime> groupTimes(
    const Timeline& timeline, const ir::Cover& cover, size_t groupCount,
    const std::function<const std::vector<uint32_t>&(EventIndex, ir::KernelId)>& groupsOf) {
  const std::vector<OwnedEvents> iterations = ownedEvents(timeline, cover);
  std::vector<GroupTime> groups(groupCount);
  for (GroupTime& group : groups) group.perIterationNs.assign(iterations.size(), 0);

  for (size_t i = 0; i < iterations.size(); ++i) {
    const OwnedEvents& iteration = iterations[i];
    std::vector<const std::vector<uint32_t>*> memberships;
    for (size_t e = 0; e < iteration.events.size(); ++e) {
      memberships.push_back(&groupsOf(iteration.events[e], iteration.owners[e]));
      for (uint32_t group : *memberships.back()) ++groups[group].events;
    }
    std::vector<uint32_t> activeIn(groupCount, 0);
    std::vector<int64_t> sinceNs(groupCount, 0);
    std::set<uint32_t> active;
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t event, int64_t timeNs) {
      active.insert(event);
      for (uint32_t group : *memberships[event])
        if (activeIn[group]++ == 0) sinceNs[group] = timeNs;
    };
    visitor.ends = [&](uint32_t event, int64_t timeNs) {
      active.erase(event);
      for (uint32_t group : *memberships[event])
        if (--activeIn[group] == 0) groups[group].perIterationNs[i] += timeNs - sinceNs[group];
    };
    // A group is alone if it contains every active event. The groups of any one active event are the only candidates.
    visitor.segment = [&](int64_t lengthNs) {
      for (uint32_t group : *memberships[*active.begin()])
        if (activeIn[group] == active.size()) groups[group].exclusiveNs += lengthNs;
    };
    sweep(intervalsOf(timeline, iteration.events), visitor);
  }
  return groups;
}

std::vector<ir::ScopeId> enclosingScopes(const ir::ScopeTree& scopes, ir::ScopeId scope) {
  std::vector<ir::ScopeId> enclosing;
  for (ir::ScopeId at = scope; at != ir::kRootScope; at = scopes[at].parent)
    if (at == scope || scopes[at].depth < limits::kScopeNesting) enclosing.push_back(at);
  return enclosing;
}

}  // namespace amdahlc
