#include "replay/timeline/group_times.h"

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"

namespace amdahlc {
namespace {

/// The intervals that are active, of which any one can be had.
class ActiveIntervals {
 public:
  explicit ActiveIntervals(size_t count) : isActive_(count) {}

  void begin(uint32_t interval) {
    isActive_[interval] = true;
    begun_.push_back(interval);
    ++count_;
  }
  void end(uint32_t interval) {
    isActive_[interval] = false;
    --count_;
  }
  size_t count() const { return count_; }
  /// Precondition: one is active.
  uint32_t any() {
    while (!isActive_[begun_.back()]) begun_.pop_back();
    return begun_.back();
  }

 private:
  std::vector<bool> isActive_;
  /// Those that ended are removed when they are last.
  std::vector<uint32_t> begun_;
  size_t count_ = 0;
};

}  // namespace

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
    ActiveIntervals active(events.size());
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t interval, int64_t timeNs) {
      active.begin(interval);
      for (const uint32_t group : groupsOf(events[interval]))
        if (activeIn[group]++ == 0) sinceNs[group] = timeNs;
    };
    visitor.ends = [&](uint32_t interval, int64_t timeNs) {
      active.end(interval);
      for (const uint32_t group : groupsOf(events[interval]))
        if (--activeIn[group] == 0) groups[group].perIterationNs.back() += timeNs - sinceNs[group];
    };
    // A group is alone if it contains every active event. The groups of any one active event are the only candidates.
    visitor.segment = [&](int64_t lengthNs) {
      for (const uint32_t group : groupsOf(events[active.any()]))
        if (activeIn[group] == active.count()) groups[group].exclusiveNs += lengthNs;
    };
    sweep(intervalsOf(timeline, events), visitor);
  }
  return groups;
}

}  // namespace amdahlc
