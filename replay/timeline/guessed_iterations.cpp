#include "replay/timeline/guessed_iterations.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/forward_groups.h"

namespace amdahlc {
namespace {

bool hasLaunch(const Timeline& timeline, EventIndex event) {
  return !timeline.hasDevice || !timeline.host->launch[event].isNone();
}

/// The iteration of a time, of iterations that begin at `beginsNs`, which ascend; the first one begins with the run.
int32_t iterationAt(std::span<const int64_t> beginsNs, int64_t ns) {
  const auto behind = std::upper_bound(beginsNs.begin() + 1, beginsNs.end(), ns);
  return static_cast<int32_t>(behind - beginsNs.begin()) - 1;
}

/// When each recording begins; the first one begins with the run.
std::vector<int64_t> beginsOfRecordings(const Timeline& timeline) {
  std::vector<int64_t> beginsNs{INT64_MIN};
  for (size_t i = 1; i < timeline.recordings.size(); ++i) beginsNs.push_back(timeline.recordings[i].startNs);
  return beginsNs;
}

void setSpillIn(Timeline& timeline) {
  bool isKnown = timeline.size() == 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) isKnown |= hasLaunch(timeline, event);
  for (Iteration& iteration : timeline.iterations)
    iteration.spillInNs = isKnown ? std::optional<int64_t>(0) : std::nullopt;
  for (EventIndex event = 0; isKnown && event < timeline.size(); ++event)
    if (!hasLaunch(timeline, event) && timeline.iteration[event] != kNoIteration)
      *timeline.iterations[static_cast<size_t>(timeline.iteration[event])].spillInNs += timeline.durationNs[event];
}

/// Host events belong to the iteration that contains their own start.
void placeHostEvents(Timeline& timeline, std::span<const int64_t> beginsNs) {
  HostFacts& host = *timeline.host;
  for (const HostEventId event : host.kind.ids()) host.iteration[event] = iterationAt(beginsNs, host.startNs[event]);
}

/// Whether nothing tells where iterations begin, but launches that repeat. Of a run with marks, an option may have
/// chosen the whole.
bool areUnmarked(const Timeline& timeline) {
  if (areIterationsGuessed(timeline)) return true;
  const auto isWhole = [](const Iteration& iteration) { return !iteration.startNs && iteration.selected(); };
  const HostFacts& host = *timeline.host;
  const RuntimeAdapter& runtime = runtimeAdapter(timeline.target.runtime);
  const auto isStep = [&](HostEventId event) {
    return host.kind[event] == EventKind::Annotation && runtime.isStep(timeline.text(host.name[event]));
  };
  return timeline.iterations.size() == timeline.recordingCount() && std::ranges::all_of(timeline.iterations, isWhole) &&
         std::ranges::none_of(host.kind.ids(), isStep);
}

}  // namespace

bool isProblemOfIterations(std::string_view problem) {
  return problem == kOutsideIterations || problem == kEmptyIteration || problem == kGuessedIterations ||
         problem == kUnmarkedIteration || problem == kAnnotationInsideAnother;
}

bool areIterationsGuessed(const Timeline& timeline) {
  const auto isChosen = [](const Iteration& iteration) {
    return iteration.leftOut == LeftOut::NotChosen || iteration.leftOut == LeftOut::OutsideWindow;
  };
  return std::ranges::any_of(timeline.problems,
                             [](const DataProblem& problem) { return problem.name == kGuessedIterations; }) &&
         std::ranges::none_of(timeline.iterations, isChosen);
}

Division divisionOf(const Timeline& timeline) {
  return {timeline.iterations, timeline.iteration, timeline.host->iteration, timeline.problems};
}

void divide(Timeline& timeline, Division division) {
  timeline.iterations = std::move(division.iterations);
  timeline.iteration = std::move(division.iteration);
  timeline.host->iteration = std::move(division.hostIteration);
  timeline.problems = std::move(division.problems);
}

void takeAsOneIteration(Timeline& timeline, std::string_view why) {
  const std::vector<int64_t> beginsNs = beginsOfRecordings(timeline);
  timeline.iterations.assign(beginsNs.size(), {"whole trace", std::nullopt, std::nullopt});
  for (uint32_t i = 0; i < beginsNs.size(); ++i) timeline.iterations[i].recording = i;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    timeline.iteration[event] = iterationAt(beginsNs, timeline.startNs[event]);
  placeHostEvents(timeline, beginsNs);
  DataProblems others;
  for (const DataProblem& problem : timeline.problems)
    if (!isProblemOfIterations(problem.name)) others.append(problem);
  others.add(kUnmarkedIteration, static_cast<int64_t>(beginsNs.size()), why);
  timeline.problems = std::move(others);
  setSpillIn(timeline);
}

bool haveEqualShapes(const Timeline& timeline) {
  std::vector<EventIndex> events(timeline.size());
  for (EventIndex event = 0; event < events.size(); ++event) events[event] = event;
  std::vector<ForwardExtent> extents;
  for (const auto& extent : extentsByIteration(timeline, events))
    if (extent) extents.push_back(*extent);
  return classesByShapes(timeline, spansOf(timeline, extents)).names.size() == 1;
}

void dropUnconfirmedIterations(Timeline& timeline) {
  if (!timeline.hasStarts || timeline.size() == 0 || !areUnmarked(timeline)) return;
  if (std::ranges::find(timeline.host->kind, EventKind::ModuleFrame) == timeline.host->kind.end())
    takeAsOneIteration(timeline, kOneForward);
  else if (areIterationsGuessed(timeline) && !haveEqualShapes(timeline))
    takeAsOneIteration(timeline, kForwardsOfModel);
}

void takeAsBefore(Timeline& timeline, const Timeline& takenBefore) {
  const auto taken = std::ranges::find(takenBefore.problems, kUnmarkedIteration, &DataProblem::name);
  if (taken != takenBefore.problems.end() && areUnmarked(timeline)) takeAsOneIteration(timeline, taken->what);
}

}  // namespace amdahlc
