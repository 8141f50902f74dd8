#include "passes/host/launch_queue.h"

#include <algorithm>
#include <vector>

#include "passes/host/sample_statistics.h"

namespace amdahlc {

std::optional<int64_t> launchedAtNs(const Timeline& timeline, EventIndex event) {
  const HostFacts& host = *timeline.host;
  const HostEventId launch = host.launch[event];
  if (launch.isNone() || host.kind[launch] != EventKind::Runtime) return std::nullopt;
  return host.endNs(launch);
}

void addLaunchQueue(const Timeline& timeline, const StreamEvents& stream, const std::vector<TimeInterval>& extents,
                    StreamWork& work) {
  std::vector<int64_t> latencies, entered, left;
  double waitedNs = 0, wallNs = 0;
  for (const TimeInterval& extent : extents) wallNs += static_cast<double>(extent.endNs - extent.startNs);
  for (const EventIndex event : stream.events) {
    const std::optional<int64_t> launchedNs = launchedAtNs(timeline, event);
    const int64_t startNs = timeline.startNs[event];
    if (!launchedNs) continue;
    latencies.push_back(startNs - *launchedNs);
    if (*launchedNs >= startNs) continue;
    entered.push_back(*launchedNs);
    left.push_back(startNs);
    // The event starts within its iteration.
    const TimeInterval& extent = extents[static_cast<size_t>(timeline.iteration[event])];
    waitedNs += static_cast<double>(startNs - std::max(*launchedNs, extent.startNs));
  }
  work.launchLatency = sampleStatistics(latencies);
  if (latencies.empty()) return;
  work.queue.emplace();
  if (wallNs > 0) work.queue->mean = waitedNs / wallNs;
  std::sort(entered.begin(), entered.end());
  std::sort(left.begin(), left.end());
  size_t gone = 0;
  for (size_t i = 0; i < entered.size(); ++i) {
    while (left[gone] <= entered[i]) ++gone;
    work.queue->longest = std::max(work.queue->longest, static_cast<int64_t>(i + 1 - gone));
  }
}

}  // namespace amdahlc
