#include "replay/timeline/time_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace amdahlc {
namespace {

bool isInRange(const std::optional<int64_t>& timeNs) {
  return !timeNs || (*timeNs >= -kMaxTimeNs && *timeNs <= kMaxTimeNs);
}

std::string iterationDefect(const std::vector<Iteration>& iterations) {
  std::optional<int64_t> previousNs;
  for (size_t i = 0; i < iterations.size(); ++i) {
    const Iteration& iteration = iterations[i];
    if (!isInRange(iteration.startNs) || !isInRange(iteration.endNs))
      return fmt::format("iteration {} begins or ends beyond {} ns", i, kMaxTimeNs);
    if (iteration.startNs && iteration.endNs && *iteration.endNs < *iteration.startNs)
      return fmt::format("iteration {} ends before it begins", i);
    if (iteration.startNs && previousNs && *iteration.startNs < *previousNs)
      return fmt::format("iteration {} begins before an earlier iteration", i);
    if (iteration.startNs) previousNs = iteration.startNs;
  }
  return {};
}

}  // namespace

bool isPossibleTime(int64_t startNs, int64_t durationNs) {
  return durationNs >= 0 && startNs >= -kMaxTimeNs && startNs <= kMaxTimeNs && durationNs <= kMaxTimeNs - startNs;
}

std::string timeDefect(const Timeline& timeline) {
  if (std::string defect = iterationDefect(timeline.iterations); !defect.empty()) return defect;
  __int128 durationsNs = 0, extentsNs = 0;
  // Of the events of each iteration.
  std::vector<std::optional<TimeInterval>> extents(timeline.iterations.size());
  std::vector<__int128> iterationNs(timeline.iterations.size(), 0);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (!isPossibleTime(timeline.startNs[event], timeline.durationNs[event]))
      return fmt::format("event {} has a negative duration or is beyond {} ns: start {} ns, duration {} ns", event,
                         kMaxTimeNs, timeline.startNs[event], timeline.durationNs[event]);
    durationsNs += timeline.durationNs[event];
    if (timeline.iteration[event] == kNoIteration) continue;
    extend(extents[static_cast<size_t>(timeline.iteration[event])], timeline.interval(event));
    iterationNs[static_cast<size_t>(timeline.iteration[event])] += timeline.durationNs[event];
  }
  for (size_t i = 0; i < extents.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    if (iteration.spillInNs && (*iteration.spillInNs < 0 || *iteration.spillInNs > iterationNs[i]))
      return fmt::format("iteration {} has more spill-in than device time", i);
    const __int128 windowNs =
        iteration.startNs && iteration.endNs ? __int128{*iteration.endNs} - *iteration.startNs : 0;
    const __int128 wallNs = extents[i] ? __int128{extents[i]->endNs} - extents[i]->startNs : 0;
    extentsNs += std::max(windowNs, wallNs);
  }
  if (durationsNs > kMaxTimeNs) return fmt::format("durations of events add up to more than {} ns", kMaxTimeNs);
  if (extentsNs > kMaxTimeNs) return fmt::format("lengths of iterations add up to more than {} ns", kMaxTimeNs);
  return {};
}

}  // namespace amdahlc
