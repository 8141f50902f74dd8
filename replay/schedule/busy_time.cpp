#include "replay/schedule/busy_time.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"

namespace amdahlc::schedule {
namespace {

/// Sweeps over the events of each reported iteration; counts what is active by `keyOf` an event, and tells the keys and
/// the length of each segment.
template <typename KeyOf, typename Segment>
void sweepSegments(const Timeline& timeline, const KeyOf& keyOf, const Segment& segment) {
  std::map<decltype(keyOf(EventIndex())), uint32_t> active;
  const EventsByIteration iterations = eventsByIteration(timeline);
  const ReportedIterations reported(timeline);
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!reported.has(static_cast<int32_t>(i))) continue;
    const std::span<const EventIndex> events = iterations[i];
    SweepVisitor visitor;
    visitor.begins = [&](uint32_t event, int64_t) { ++active[keyOf(events[event])]; };
    visitor.ends = [&](uint32_t event, int64_t) {
      const auto entry = active.find(keyOf(events[event]));
      if (--entry->second == 0) active.erase(entry);
    };
    visitor.segment = [&](int64_t lengthNs) { segment(active, lengthNs); };
    sweep(intervalsOf(timeline, events), visitor);
  }
}

}  // namespace

ScaledSum busyTime(const Timeline& timeline, std::span<const Rational> factors) {
  std::map<Rational, int64_t> lengths;
  sweepSegments(
      timeline, [&](EventIndex event) { return factors[event]; },
      [&](const auto& active, int64_t lengthNs) { lengths[active.rbegin()->first] += lengthNs; });
  ScaledSum sum;
  for (const auto& [factor, lengthNs] : lengths) sum.add(lengthNs, factor);
  return sum;
}

BusySegments::BusySegments(const Timeline& timeline, std::span<const EventClass> classes,
                           std::span<const Rational> factors)
    : alone_(classes.empty() ? 0 : *std::ranges::max_element(classes) + size_t{1}) {
  std::map<std::vector<Member>, int64_t> lengths;
  sweepSegments(
      timeline, [&](EventIndex event) { return Member(classes[event], factors[event]); },
      [&](const auto& active, int64_t lengthNs) {
        // Of a class the largest factor decides, which is its last.
        std::vector<Member> members;
        for (auto end = active.end(); end != active.begin(); end = active.lower_bound({members.back().first, {}}))
          members.push_back(std::prev(end)->first);
        if (members.size() == 1)
          alone_[members.front().first].add(lengthNs, members.front().second);
        else
          lengths[std::move(members)] += lengthNs;
      });
  together_.assign(lengths.begin(), lengths.end());
}

int64_t BusySegments::busyNs(std::span<const Rational> factors) const {
  ScaledSum sum;
  for (size_t one = 0; one < alone_.size(); ++one) sum.add(alone_[one], factors[one]);
  for (const auto& [members, lengthNs] : together_) {
    Rational largest;
    for (const auto& [one, factor] : members) largest = std::max(largest, factor * factors[one]);
    sum.add(lengthNs, largest);
  }
  return sum.rounded();
}

}  // namespace amdahlc::schedule
