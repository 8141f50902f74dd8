#include "timeline/interval.h"

#include <algorithm>
#include <tuple>

namespace amdahlc {

int64_t unionLength(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.startNs < b.startNs; });
  int64_t length = 0;
  int64_t coveredTo = INT64_MIN;
  for (const Interval& interval : intervals) {
    const int64_t from = std::max(interval.startNs, coveredTo);
    if (interval.endNs <= from) continue;
    length += interval.endNs - from;
    coveredTo = interval.endNs;
  }
  return length;
}

void sweep(std::span<const Interval> intervals, const SweepVisitor& visitor) {
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
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
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
