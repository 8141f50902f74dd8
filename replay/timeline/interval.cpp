#include "replay/timeline/interval.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "support/compact.h"

namespace amdahlc {

namespace {

/// Most are in order, because events are.
void sortByStart(std::vector<TimeInterval>& intervals) {
  if (!std::ranges::is_sorted(intervals, {}, &TimeInterval::startNs))
    compactSort(intervals, {}, &TimeInterval::startNs);
}

}  // namespace

std::vector<TimeInterval> unionOf(std::vector<TimeInterval> intervals) {
  sortByStart(intervals);
  std::vector<TimeInterval> united;
  united.reserve(intervals.size());
  for (const TimeInterval& interval : intervals)
    if (interval.startNs < interval.endNs) addToUnion(united, interval);
  return united;
}

void addToUnion(std::vector<TimeInterval>& united, const TimeInterval& interval) {
  if (!united.empty() && interval.startNs <= united.back().endNs)
    united.back().endNs = std::max(united.back().endNs, interval.endNs);
  else
    united.push_back(interval);
}

int64_t unionLength(std::vector<TimeInterval> intervals) {
  sortByStart(intervals);
  int64_t length = 0, endNs = std::numeric_limits<int64_t>::min();
  for (const TimeInterval& interval : intervals) {
    if (interval.endNs <= std::max(interval.startNs, endNs)) continue;
    length += interval.endNs - std::max(interval.startNs, endNs);
    endNs = interval.endNs;
  }
  return length;
}

void sweep(std::span<const TimeInterval> intervals, const SweepVisitor& visitor) {
  struct Edge {
    int64_t timeNs;
    uint32_t index;
    bool starts;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * intervals.size());
  for (uint32_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].endNs <= intervals[i].startNs) continue;
    edges.push_back({intervals[i].startNs, i, true});
    edges.push_back({intervals[i].endNs, i, false});
  }
  // Ends come before beginnings, so that adjacent intervals do not overlap. Then by index, so that the order of calls
  // is fixed.
  compactSort(edges, [](const Edge& a, const Edge& b) {
    return std::tuple(a.timeNs, a.starts, a.index) < std::tuple(b.timeNs, b.starts, b.index);
  });

  size_t active = 0;
  for (size_t at = 0; at < edges.size();) {
    const int64_t timeNs = edges[at].timeNs;
    for (; at < edges.size() && edges[at].timeNs == timeNs; ++at) {
      (edges[at].starts ? visitor.begins : visitor.ends)(edges[at].index, timeNs);
      edges[at].starts ? ++active : --active;
    }
    if (active > 0) visitor.segment(edges[at].timeNs - timeNs);
  }
}

}  // namespace amdahlc
