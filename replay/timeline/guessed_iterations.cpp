#include "replay/timeline/guessed_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace amdahlc {
namespace {

/// When an event was launched: the begin of its launch, or of the outermost operator around it that begins after
/// `afterNs`.
int64_t launchedNs(const Timeline& timeline, EventIndex event, int64_t afterNs) {
  const HostFacts& host = *timeline.host;
  HostEventId at = host.launch[event];
  if (at.isNone()) return timeline.startNs[event];
  while (!host.parent[at].isNone() && host.startNs[host.parent[at]] > afterNs) at = host.parent[at];
  return host.startNs[at];
}

void setSpillIn(Timeline& timeline) {
  const HostFacts& host = *timeline.host;
  const auto isSpillIn = [&](EventIndex event) { return timeline.hasDevice && host.launch[event].isNone(); };
  bool isKnown = timeline.size() == 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) isKnown |= !isSpillIn(event);
  for (Iteration& iteration : timeline.iterations)
    iteration.spillInNs = isKnown ? std::optional<int64_t>(0) : std::nullopt;
  for (EventIndex event = 0; isKnown && event < timeline.size(); ++event)
    if (isSpillIn(event))
      *timeline.iterations[static_cast<size_t>(timeline.iteration[event])].spillInNs += timeline.durationNs[event];
}

}  // namespace

bool isProblemOfIterations(std::string_view problem) {
  return problem == kOutsideIterations || problem == kEmptyIteration || problem == kGuessedIterations ||
         problem == kAnnotationInsideAnother;
}

bool areIterationsGuessed(const Timeline& timeline) {
  const auto isChosen = [](const Iteration& iteration) {
    return iteration.leftOut == LeftOut::NotChosen || iteration.leftOut == LeftOut::OutsideWindow;
  };
  return std::ranges::any_of(timeline.problems,
                             [](const DataProblem& problem) { return problem.name == kGuessedIterations; }) &&
         std::ranges::none_of(timeline.iterations, isChosen);
}

Division divisionOf(const Timeline& timeline) { return {timeline.iterations, timeline.iteration, timeline.problems}; }

void divide(Timeline& timeline, Division division) {
  timeline.iterations = std::move(division.iterations);
  timeline.iteration = std::move(division.iteration);
  timeline.problems = std::move(division.problems);
}

void takeAsOneIteration(Timeline& timeline) {
  timeline.iterations.assign(1, {"whole trace", std::nullopt, std::nullopt});
  timeline.iteration.assign(timeline.size(), 0);
  DataProblems others;
  for (const DataProblem& problem : timeline.problems)
    if (!isProblemOfIterations(problem.name)) others.append(problem);
  timeline.problems = std::move(others);
  setSpillIn(timeline);
}

void divideAt(Timeline& timeline, std::span<const EventIndex> begins, bool dropsFirst) {
  std::vector<int64_t> beginsNs;
  for (size_t i = 0; i < begins.size(); ++i)
    beginsNs.push_back(i == 0 ? INT64_MIN : launchedNs(timeline, begins[i], std::max(beginsNs.back(), INT64_MIN + 1)));
  timeline.iterations.clear();
  for (size_t i = 0; i < begins.size(); ++i)
    timeline.iterations.push_back({fmt::format("forward {}", i + 1), std::nullopt, std::nullopt});
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const int64_t ns = timeline.hasDevice ? launchedNs(timeline, event, INT64_MAX) : timeline.startNs[event];
    timeline.iteration[event] =
        static_cast<int32_t>(std::upper_bound(beginsNs.begin(), beginsNs.end(), ns) - beginsNs.begin()) - 1;
  }
  if (dropsFirst && begins.size() >= 3) timeline.iterations.front().leftOut = LeftOut::WarmUp;
  timeline.problems.add(kGuessedIterations, static_cast<int64_t>(begins.size()),
                        "iterations are the forwards of the model, because no annotation marks them");
  setSpillIn(timeline);
}

}  // namespace amdahlc
