#include "replay/schedule/busy_time.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "replay/schedule/scaled_time.h"
#include "replay/timeline/totals.h"

namespace amdahlc::schedule {
namespace {

/// A factor, and a track with it. In a segment the greatest one decides.
using Unit = std::pair<Rational, uint32_t>;

int64_t sumOf(const std::map<Unit, int64_t>& lengths) {
  ScaledLengths scaled;
  int64_t sumNs = 0;
  for (const auto& [unit, lengthNs] : lengths) sumNs += scaled.next(lengthNs, unit.first, unit.second);
  return sumNs;
}

/// Sweeps over the events of each selected iteration; counts what is active by `keyOf` an event, and tells the keys and
/// the length of each segment.
template <typename KeyOf, typename Segment>
void sweepSegments(const Timeline& timeline, const KeyOf& keyOf, const Segment& segment) {
  const std::vector<std::vector<EventIndex>> iterations = eventsByIteration(timeline);
  std::map<decltype(keyOf(EventIndex())), uint32_t> active;
  for (size_t i = 0; i < iterations.size(); ++i) {
    if (!timeline.iterations[i].selected()) continue;
    const std::vector<EventIndex>& events = iterations[i];
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

std::map<Unit, int64_t> lengthsByUnit(const Timeline& timeline, std::span<const Rational> factors) {
  std::map<Unit, int64_t> lengths;
  sweepSegments(
      timeline, [&](EventIndex event) { return Unit(factors[event], timeline.track[event]); },
      [&](const auto& active, int64_t lengthNs) { lengths[active.rbegin()->first] += lengthNs; });
  return lengths;
}

}  // namespace

int64_t busyNs(const Timeline& timeline, std::span<const Rational> factors) {
  return sumOf(lengthsByUnit(timeline, factors));
}

double unroundedBusyNs(const Timeline& timeline, std::span<const Rational> factors) {
  std::map<Rational, int64_t> byFactor;
  for (const auto& [unit, lengthNs] : lengthsByUnit(timeline, factors)) byFactor[unit.first] += lengthNs;
  double sumNs = 0;
  for (const auto& [factor, lengthNs] : byFactor)
    sumNs += static_cast<double>(static_cast<long double>(lengthNs) * factor.numerator / factor.denominator);
  return sumNs;
}

BusySegments::BusySegments(const Timeline& timeline, std::span<const EventClass> classes) {
  std::map<std::vector<Member>, int64_t> lengths;
  sweepSegments(
      timeline, [&](EventIndex event) { return Member(classes[event], timeline.track[event]); },
      [&](const auto& active, int64_t lengthNs) {
        // Of a class the last track decides. So the number of tracks does not count.
        std::vector<Member> members;
        for (auto end = active.end(); end != active.begin(); end = active.lower_bound({members.back().first, 0}))
          members.push_back(std::prev(end)->first);
        lengths[std::move(members)] += lengthNs;
      });
  lengths_.assign(lengths.begin(), lengths.end());
}

int64_t BusySegments::busyNs(std::span<const Rational> factors) const {
  std::map<Unit, int64_t> lengths;
  for (const auto& [members, lengthNs] : lengths_) {
    Unit largest(factors[members.front().first], members.front().second);
    for (const auto& [one, track] : members) largest = std::max(largest, Unit(factors[one], track));
    lengths[largest] += lengthNs;
  }
  return sumOf(lengths);
}

}  // namespace amdahlc::schedule
