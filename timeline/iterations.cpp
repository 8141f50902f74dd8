#include "timeline/iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "timeline/relations.h"
#include "timeline/repetition.h"

namespace amdahlc {
namespace {

struct Extent {
  int64_t startNs = 0;
  int64_t endNs = 0;
};

bool isProfilerStep(std::string_view name) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  return name.starts_with(kPrefix) && name.size() > kPrefix.size() &&
         name.find_first_not_of("0123456789", kPrefix.size()) == std::string_view::npos;
}

/// When an event's work was asked for: its place among the iterations.
int64_t askedNs(const Timeline& timeline, EventIndex event) {
  return timeline.startNs[timeline.launch[event] == kNoEvent ? event : timeline.launch[event]];
}

/// Device work in order of launch; the order of start decides between events of one launch.
std::vector<EventIndex> workByLaunch(const Timeline& timeline) {
  std::vector<EventIndex> work;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.deviceWork[event]) work.push_back(event);
  std::stable_sort(work.begin(), work.end(), [&](EventIndex a, EventIndex b) {
    const auto rank = [&](EventIndex event) { return std::pair(askedNs(timeline, event), timeline.launch[event]); };
    return rank(a) < rank(b);
  });
  return work;
}

std::vector<EventIndex> annotations(const Timeline& timeline) {
  std::vector<EventIndex> out;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.kind[event] == EventKind::Annotation) out.push_back(event);
  return out;
}

/// The outermost of `candidates` (sorted by start): an annotation inside another of its name is the same repetition. `crossing` is set
/// where one begins inside another and ends after it; the later one is left out.
std::vector<EventIndex> outermost(const Timeline& timeline, const std::vector<EventIndex>& candidates, bool& crossing) {
  std::vector<EventIndex> out;
  crossing = false;
  for (EventIndex event : candidates) {
    if (timeline.durationNs[event] == 0) continue;
    if (out.empty() || timeline.startNs[event] >= timeline.endNs(out.back()))
      out.push_back(event);
    else
      crossing |= timeline.endNs(event) > timeline.endNs(out.back());
  }
  return out;
}

std::vector<EventIndex> profilerSteps(const Timeline& timeline) {
  std::vector<EventIndex> steps;
  for (EventIndex event : annotations(timeline))
    if (isProfilerStep(timeline.text(timeline.name[event]))) steps.push_back(event);
  bool crossing = false;
  return outermost(timeline, steps, crossing);
}

/// Device time asked for within each extent (sorted, disjoint); -1 where nothing was.
std::vector<int64_t> workWithin(const Timeline& timeline, const std::vector<EventIndex>& work,
                                const std::vector<EventIndex>& extents) {
  std::vector<int64_t> out(extents.size(), -1);
  size_t at = 0;
  for (EventIndex event : work) {
    const int64_t timeNs = askedNs(timeline, event);
    while (at < extents.size() && timeline.endNs(extents[at]) <= timeNs) ++at;
    if (at == extents.size()) break;
    if (timeline.startNs[extents[at]] <= timeNs) out[at] = std::max<int64_t>(out[at], 0) + timeline.durationNs[event];
  }
  return out;
}

/// How many annotations of the same thread are around each annotation, by event index.
std::map<EventIndex, size_t> annotationDepths(const Timeline& timeline, const std::vector<EventIndex>& all) {
  std::map<EventIndex, size_t> depths;
  std::map<uint32_t, std::vector<int64_t>> openEnds;
  for (EventIndex event : all) {
    std::vector<int64_t>& ends = openEnds[timeline.track[event]];
    std::erase_if(ends, [&](int64_t endNs) { return endNs <= timeline.startNs[event]; });
    depths[event] = ends.size();
    if (ends.size() < 1000) ends.push_back(timeline.endNs(event));
  }
  return depths;
}

std::vector<EventIndex> repeatedAnnotation(const Timeline& timeline, const std::vector<EventIndex>& work) {
  const std::vector<EventIndex> all = annotations(timeline);
  const std::map<EventIndex, size_t> depths = annotationDepths(timeline, all);
  std::map<std::pair<uint32_t, uint32_t>, std::vector<EventIndex>>
      byName;  // (track, symbol); the choice below does not depend on its order
  for (EventIndex event : all) byName[{timeline.track[event], timeline.name[event].index}].push_back(event);
  int64_t totalNs = 0;
  for (EventIndex event : work) totalNs += timeline.durationNs[event];

  std::vector<EventIndex> best;
  std::tuple<size_t, int64_t, EventIndex> bestRank;
  for (const auto& [key, events] : byName) {
    bool crossing = false;
    std::vector<EventIndex> extents = outermost(timeline, events, crossing);
    if (extents.size() < 2 || crossing) continue;
    const std::vector<int64_t> within = workWithin(timeline, work, extents);
    if (std::find(within.begin(), within.end(), -1) != within.end()) continue;
    int64_t heldNs = 0;
    for (int64_t ns : within) heldNs += ns;
    if (heldNs < totalNs - heldNs) continue;
    size_t depth = SIZE_MAX;
    for (EventIndex event : extents) depth = std::min(depth, depths.at(event));
    const std::tuple rank(depth, -heldNs, extents.front());
    if (best.empty() || rank < bestRank) {
      best = std::move(extents);
      bestRank = rank;
    }
  }
  return best;
}

void setFromAnnotations(Timeline& timeline, const std::vector<EventIndex>& extents) {
  std::map<uint32_t, size_t> seen;
  std::map<uint32_t, size_t> times;
  for (EventIndex event : extents) ++times[timeline.name[event].index];
  for (EventIndex event : extents) {
    std::string name(timeline.text(timeline.name[event]));
    const size_t which = seen[timeline.name[event].index]++;
    if (times[timeline.name[event].index] > 1) name += fmt::format(" ({})", which + 1);
    timeline.iterations.push_back({std::move(name), timeline.startNs[event], timeline.endNs(event), true});
  }
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const int64_t timeNs = askedNs(timeline, event);
    const auto after = std::upper_bound(timeline.iterations.begin(), timeline.iterations.end(), timeNs,
                                        [](int64_t ns, const Iteration& it) { return ns < *it.startNs; });
    if (after == timeline.iterations.begin() || timeNs >= *(after - 1)->endNs) continue;
    timeline.iteration[event] = static_cast<int32_t>(after - timeline.iterations.begin() - 1);
  }
}

void setFromRepetition(Timeline& timeline, const std::vector<EventIndex>& work, const Repetition& repetition) {
  for (size_t copy = 0; copy < repetition.count; ++copy) {
    timeline.iterations.push_back({fmt::format("repeat {}", copy + 1), std::nullopt, std::nullopt, true});
    for (size_t i = 0; i < repetition.length; ++i)
      timeline.iteration[work[repetition.first + copy * repetition.length + i]] = static_cast<int32_t>(copy);
  }
}

/// The shortest annotation around all launches; of equal ones the last to begin.
EventIndex annotationAroundAll(const Timeline& timeline, const std::vector<EventIndex>& work) {
  std::optional<Extent> launches;
  for (EventIndex event : work) {
    const EventIndex launch = timeline.launch[event];
    if (launch == kNoEvent) continue;
    if (!launches) launches = Extent{timeline.startNs[launch], timeline.endNs(launch)};
    launches->startNs = std::min(launches->startNs, timeline.startNs[launch]);
    launches->endNs = std::max(launches->endNs, timeline.endNs(launch));
  }
  EventIndex best = kNoEvent;
  if (!launches) return best;
  for (EventIndex event : annotations(timeline)) {
    if (timeline.startNs[event] > launches->startNs || timeline.endNs(event) < launches->endNs) continue;
    if (best == kNoEvent || timeline.durationNs[event] <= timeline.durationNs[best]) best = event;
  }
  return best;
}

void setWholeTrace(Timeline& timeline, const std::vector<EventIndex>& work) {
  Iteration whole{"whole trace", std::nullopt, std::nullopt, true};
  if (const EventIndex around = annotationAroundAll(timeline, work); around != kNoEvent)
    whole = {std::string(timeline.text(timeline.name[around])), timeline.startNs[around], timeline.endNs(around), true};
  timeline.iterations.assign(1, std::move(whole));
  std::fill(timeline.iteration.begin(), timeline.iteration.end(), 0);
}

void select(Timeline& timeline, StepSelection selection) {
  std::vector<bool> hasWork(timeline.iterations.size(), false);
  int64_t outside = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (!timeline.deviceWork[event]) continue;
    if (timeline.iteration[event] == kNoIteration)
      ++outside;
    else
      hasWork[static_cast<size_t>(timeline.iteration[event])] = true;
  }
  addProblem(timeline, "outside-iterations", outside,
             "device events were launched outside all iterations and are not selected");

  std::vector<size_t> withWork;
  for (size_t i = 0; i < hasWork.size(); ++i) {
    timeline.iterations[i].selected = hasWork[i];
    if (hasWork[i]) withWork.push_back(i);
  }
  if (withWork.empty()) {  // nothing ran: one empty selection is simpler for every reader than none
    timeline.iterations.front().selected = true;
    return;
  }
  addProblem(timeline, "empty-iteration", static_cast<int64_t>(hasWork.size() - withWork.size()),
             "iterations without device work are not selected");
  if (selection == StepSelection::Auto && withWork.size() >= 3) timeline.iterations[withWork.front()].selected = false;
}

bool leavesWorkOutside(const Timeline& timeline) {
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.deviceWork[event] && timeline.iteration[event] == kNoIteration) return true;
  return false;
}

}  // namespace

void findIterations(Timeline& timeline, StepSelection selection) {
  const std::vector<EventIndex> work = workByLaunch(timeline);
  std::fill(timeline.iteration.begin(), timeline.iteration.end(), kNoIteration);
  timeline.iterations.clear();
  if (const std::vector<EventIndex> steps = profilerSteps(timeline); !steps.empty())
    setFromAnnotations(timeline, steps);
  else if (const std::vector<EventIndex> repeated = repeatedAnnotation(timeline, work); !repeated.empty())
    setFromAnnotations(timeline, repeated);
  else if (const auto repetition = findRepetition(timeline, work)) {
    setFromRepetition(timeline, work, *repetition);
    addProblem(timeline, "guessed-iterations", static_cast<int64_t>(repetition->count),
               "iterations were told by a repeated launch sequence, since no annotation marks them");
  }
  if (timeline.iterations.empty() || (selection == StepSelection::All && leavesWorkOutside(timeline)))
    setWholeTrace(timeline, work);
  select(timeline, selection);
}

}  // namespace amdahlc
