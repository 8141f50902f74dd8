#include "runs/builder/excerpt.h"

#include <algorithm>
#include <unordered_set>

#include "support/limits.h"

namespace amdahlc {
namespace {

/// Of each selected iteration the time from its first launch or start to its last end; those that overlap or touch are
/// united. Both ends are part of it. In order of time.
std::vector<TimeInterval> selectedHulls(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  std::vector<std::optional<TimeInterval>> ofIteration(timeline.iterations.size());
  for (size_t i = 0; i < ofIteration.size(); ++i)
    if (const Iteration& iteration = timeline.iterations[i]; iteration.selected() && iteration.startNs)
      extend(ofIteration[i], {*iteration.startNs, iteration.endNs.value_or(*iteration.startNs)});
  for (const EventIndex event : timeline.selectedEvents()) {
    auto& hull = ofIteration[static_cast<size_t>(timeline.iteration[event])];
    extend(hull, timeline.interval(event));
    if (const HostEventId launch = host.launch[event]; !launch.isNone()) extend(hull, host.interval(launch));
  }
  std::erase_if(ofIteration, [](const auto& hull) { return !hull || hull->startNs > hull->endNs; });
  std::ranges::sort(ofIteration, {}, [](const auto& hull) { return hull->startNs; });
  std::vector<TimeInterval> hulls;
  for (const auto& hull : ofIteration) addToUnion(hulls, *hull);
  return hulls;
}

}  // namespace

Excerpt excerptOf(const Timeline& timeline) {
  return {timeline.format,     timeline.target,  timeline.devices, timeline.device, timeline.clockResolutionNs,
          timeline.iterations, timeline.problems};
}

std::optional<Absence> absenceOfExcerpt(const Timeline& timeline) {
  using enum Absence::Reason;
  if (const auto absence = timeline.absenceOfTrace()) return absence;
  if (timeline.recordingCount() > 1) return Absence{SeveralRecordings};
  if (timeline.selectedEvents().empty()) return Absence{NothingSelected};
  if (static_cast<int64_t>(timeline.iterations.size()) > limits::kExcerptIterations) return Absence{ManyIterations};
  return std::nullopt;
}

std::vector<HostEventId> hostEventsOfExcerpt(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  const std::vector<TimeInterval> hulls = selectedHulls(timeline);
  IdVector<HostEventId, bool> isKept(host.size(), false);
  std::unordered_set<int64_t> sequenceNumbers;  // looked up only
  for (const HostEventId event : host.kind.ids()) {
    const int64_t startNs = host.startNs[event], endNs = host.endNs(event);
    // The first hull that does not end before the event begins. A neighbour that only touches it is not of it, unless
    // it has no duration.
    auto hull = std::ranges::lower_bound(hulls, startNs, {}, &TimeInterval::endNs);
    if (hull != hulls.end() && hull->endNs == startNs && endNs > startNs) ++hull;
    isKept[event] = hull != hulls.end() && (hull->startNs < endNs || hull->startNs == startNs);
    if (isKept[event] && host.sequenceNumber[event] >= 0) sequenceNumbers.insert(host.sequenceNumber[event]);
  }
  for (const HostEventId event : host.kind.ids())
    if (sequenceNumbers.contains(host.sequenceNumber[event]))
      for (HostEventId around = event; !around.isNone() && !isKept[around]; around = host.parent[around])
        isKept[around] = true;
  std::vector<HostEventId> kept;
  for (const HostEventId event : host.kind.ids())
    if (isKept[event]) kept.push_back(event);
  return kept;
}

bool haveOrderedExtents(const std::vector<Iteration>& iterations) {
  int64_t beforeNs = INT64_MIN;
  for (const Iteration& iteration : iterations) {
    if (!iteration.startNs || !iteration.endNs) return false;
    if (*iteration.startNs < beforeNs || *iteration.endNs < *iteration.startNs) return false;
    beforeNs = *iteration.endNs;
  }
  return true;
}

int32_t iterationAt(const std::vector<Iteration>& iterations, int64_t timeNs) {
  const auto after = std::ranges::upper_bound(iterations, timeNs, {}, [](const Iteration& it) { return *it.startNs; });
  if (after == iterations.begin() || timeNs >= *(after - 1)->endNs) return kNoIteration;
  return static_cast<int32_t>(after - iterations.begin() - 1);
}

}  // namespace amdahlc
