#include "passes/host/concurrency.h"

#include <map>

namespace amdahlc {

std::vector<int64_t> streamConcurrency(const Timeline& timeline, const std::vector<StreamEvents>& streams,
                                       const std::vector<TimeInterval>& extents) {
  // By iteration, of all streams; those of one stream are disjoint.
  std::vector<std::vector<TimeInterval>> active(extents.size());
  for (const StreamEvents& stream : streams) {
    std::map<int32_t, std::vector<TimeInterval>> byIteration;
    for (const EventIndex event : stream.events)
      byIteration[timeline.iteration[event]].push_back({timeline.startNs[event], timeline.endNs(event)});
    for (auto& [iteration, intervals] : byIteration) {
      const std::vector<TimeInterval> joined = unionOf(std::move(intervals));
      auto& all = active[static_cast<size_t>(iteration)];
      all.insert(all.end(), joined.begin(), joined.end());
    }
  }

  std::vector<int64_t> byCountNs(1, 0);
  for (size_t iteration = 0; iteration < extents.size(); ++iteration) {
    size_t count = 0;
    int64_t coveredNs = 0;
    sweep(active[iteration], {.begins = [&](uint32_t, int64_t) { ++count; },
                              .ends = [&](uint32_t, int64_t) { --count; },
                              .segment =
                                  [&](int64_t lengthNs) {
                                    if (count >= byCountNs.size()) byCountNs.resize(count + 1);
                                    byCountNs[count] += lengthNs;
                                    coveredNs += lengthNs;
                                  }});
    byCountNs[0] += extents[iteration].endNs - extents[iteration].startNs - coveredNs;
  }
  return byCountNs;
}

}  // namespace amdahlc
