#include "timeline/interval.h"

#include <algorithm>

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

void forEachSegment(std::span<const Interval> intervals,
                    const std::function<void(int64_t, std::span<const uint32_t>)>& visit) {
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
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.timeNs < b.timeNs; });

  std::vector<uint32_t> active;  // ascending; as many as run at once, which is few
  for (size_t at = 0; at < edges.size();) {
    const int64_t timeNs = edges[at].timeNs;
    for (; at < edges.size() && edges[at].timeNs == timeNs; ++at) {
      const auto place = std::lower_bound(active.begin(), active.end(), edges[at].index);
      if (edges[at].starts)
        active.insert(place, edges[at].index);
      else
        active.erase(place);
    }
    if (!active.empty()) visit(edges[at].timeNs - timeNs, active);
  }
}

}  // namespace amdahlc
