#include "passes/trace_bind/bind_search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "passes/trace_bind/repeats.h"

namespace amdahlc::binding {

namespace {

/// A forward may have fewer calls than the units that must run, because one call may run several: one for so many.
constexpr size_t kCallsPart = 4;

}  // namespace

void TimelineBinder::Search::setForwards(Forwards hypothesis, const Launches& launches) {
  forwards = std::move(hypothesis);
  alignmentOf.clear();
  segmentOf.clear();
  copies.clear();
  std::map<std::vector<uint32_t>, uint32_t> known;
  for (uint32_t i = 0; i < forwards.segments.size(); ++i) {
    const Segment& at = forwards.segments[i];
    std::vector<uint32_t> key{at.restarts};
    const auto all = launches.calls(at.iteration);
    for (uint32_t call = 0; call < at.end - at.begin; ++call) {
      const HostEventId frame = all[at.begin + call].frame;
      key.push_back(2 * kind(at, call) + (at.outside[call] ? 1 : 0));
      key.push_back(frame.isNone() ? kNoUnit : launches.host().name[frame].index);
    }
    const auto [entry, isNew] = known.try_emplace(std::move(key), static_cast<uint32_t>(segmentOf.size()));
    if (isNew) {
      segmentOf.push_back(i);
      copies.push_back(0);
    }
    ++copies[entry->second];
    alignmentOf.push_back(entry->second);
  }
}

std::optional<Forwards> TimelineBinder::Search::atRepetitions(const Forwards& hypothesis, bool searchBegin) const {
  Forwards divided{hypothesis.root, hypothesis.hasRoot, {}};
  const int64_t positions = int64_t{program.end()} + 1;
  const auto part = [](const Segment& segment, size_t begin, size_t end) {
    const auto at = [&](size_t call) { return segment.outside.begin() + static_cast<ptrdiff_t>(call); };
    return Segment{segment.iteration,
                   segment.begin + static_cast<uint32_t>(begin),
                   segment.begin + static_cast<uint32_t>(end),
                   true,
                   {at(begin), at(end)}};
  };
  const auto leastCalls = static_cast<size_t>(
      std::count_if(program.units().begin(), program.units().end(), [](const Unit& unit) { return unit.mustRun; }));
  bool any = false;
  for (const Segment& segment : hypothesis.segments) {
    const size_t count = segment.end - segment.begin;
    std::vector<uint32_t> kinds;
    if (segment.restarts && static_cast<int64_t>(count + 1) * positions > kMostCells)
      for (uint32_t call = 0; call < count; ++call) kinds.push_back(kind(segment, call));
    const auto lag = repetitionLag(kinds, leastCalls / kCallsPart);
    size_t first = 0;
    if (lag && searchBegin && static_cast<int64_t>(*lag + 1) * positions <= kMostCells) {
      const Alignment alignment = align(program, calls(part(segment, 0, *lag)), true, {});
      while (first < *lag && alignment.calls[first].forward == 0) ++first;
    }
    // Without a restart, the repetitions begin at the first call.
    if (!lag || (searchBegin && (first == 0 || first == *lag))) {
      divided.segments.push_back(segment);
      continue;
    }
    any = true;
    std::vector<size_t> begins = repetitionBegins(kinds, first, *lag);
    if (first > 0) begins.insert(begins.begin(), 0);
    begins.push_back(count);
    for (size_t i = 0; i + 1 < begins.size(); ++i) divided.segments.push_back(part(segment, begins[i], begins[i + 1]));
  }
  return any ? std::optional(std::move(divided)) : std::nullopt;
}

}  // namespace amdahlc::binding
