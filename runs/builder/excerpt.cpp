#include "runs/builder/excerpt.h"

#include <algorithm>
#include <unordered_set>

#include "support/limits.h"

namespace amdahlc {
namespace {

/// From the first launch or start to the last end. Both ends are part of it.
struct Hull {
  int64_t startNs;
  int64_t endNs;
  void add(int64_t fromNs, int64_t toNs) {
    startNs = std::min(startNs, fromNs);
    endNs = std::max(endNs, toNs);
  }
};

/// The hulls of the selected iterations, those that overlap united, in order of time.
std::vector<Hull> selectedHulls(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  std::vector<Hull> hulls(timeline.iterations.size(), {INT64_MAX, INT64_MIN});
  for (size_t i = 0; i < hulls.size(); ++i)
    if (const Iteration& iteration = timeline.iterations[i]; iteration.selected() && iteration.startNs)
      hulls[i].add(*iteration.startNs, iteration.endNs.value_or(*iteration.startNs));
  for (const EventIndex event : timeline.selectedEvents()) {
    Hull& hull = hulls[static_cast<size_t>(timeline.iteration[event])];
    hull.add(timeline.startNs[event], timeline.endNs(event));
    if (const HostEventId launch = host.launch[event]; !launch.isNone())
      hull.add(host.startNs[launch], host.endNs(launch));
  }
  std::erase_if(hulls, [](const Hull& hull) { return hull.startNs > hull.endNs; });
  std::ranges::sort(hulls, {}, &Hull::startNs);
  size_t united = 0;
  for (const Hull& hull : hulls) {
    if (united > 0 && hull.startNs <= hulls[united - 1].endNs)
      hulls[united - 1].add(hull.startNs, hull.endNs);
    else
      hulls[united++] = hull;
  }
  hulls.resize(united, {0, 0});
  return hulls;
}

}  // namespace

Excerpt excerptOf(const Timeline& timeline) {
  return {timeline.format,     timeline.target,  timeline.devices, timeline.device, timeline.clockResolutionNs,
          timeline.iterations, timeline.problems};
}

std::string whyNoExcerpt(const Timeline& timeline) {
  if (!timeline.host) return "IR text does not contain its host events; give the trace again with `-trace=`";
  if (!timeline.hasStarts) return "the recorder measured how long each event took, but not when it began";
  if (timeline.selectedEvents().empty()) return "no event of it is selected";
  if (static_cast<int64_t>(timeline.iterations.size()) > limits::kExcerptIterations)
    return "it has too many iterations";
  return {};
}

std::vector<HostEventId> hostEventsOfExcerpt(const Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  const std::vector<Hull> hulls = selectedHulls(timeline);
  IdVector<HostEventId, bool> isKept(host.size(), false);
  std::unordered_set<int64_t> sequenceNumbers;  // looked up only
  for (const HostEventId event : host.kind.ids()) {
    const int64_t startNs = host.startNs[event], endNs = host.endNs(event);
    // The first hull that does not end before the event begins. A neighbour that only touches it is not of it, unless
    // it has no duration.
    auto hull = std::ranges::lower_bound(hulls, startNs, {}, &Hull::endNs);
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
