#include "replay/timeline/guessed_iterations.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace amdahlc {
namespace {

constexpr std::string_view kForwards = "iterations are the forwards of the model, because no annotation marks them";

bool hasLaunch(const Timeline& timeline, EventIndex event) {
  return !timeline.hasDevice || !timeline.host->launch[event].isNone();
}

/// When an event was launched. A stretch of self time counts by its own extent, and so does an event without a launch.
TimeInterval launchOf(const Timeline& timeline, EventIndex event) {
  return timeline.hasDevice && hasLaunch(timeline, event) ? timeline.host->interval(timeline.host->launch[event])
                                                          : timeline.interval(event);
}

/// The begin of the launch, or of the outermost event of the host around it that begins behind `afterNs`.
int64_t beginAround(const Timeline& timeline, EventIndex event, int64_t afterNs) {
  const HostFacts& host = *timeline.host;
  HostEventId at = host.launch[event];
  if (at.isNone()) return timeline.startNs[event];
  while (!host.parent[at].isNone() && host.startNs[host.parent[at]] > afterNs) at = host.parent[at];
  return std::min(host.startNs[at], launchOf(timeline, event).startNs);
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

/// Gives events without a launch their iterations, each one of its recording.
void placeSpillIn(Timeline& timeline, std::span<const int64_t> beginsNs) {
  const auto size = static_cast<EventIndex>(timeline.size());
  const auto isOfRecording = [&](EventIndex event, int32_t iteration) {
    return timeline.iterations[static_cast<size_t>(iteration)].recording ==
           timeline.recordingAt(timeline.startNs[event]);
  };
  std::vector<std::optional<int32_t>> next(timeline.tracks.size()), before = next;
  std::vector<std::optional<int32_t>> found(size);
  const auto visit = [&](EventIndex event, std::vector<std::optional<int32_t>>& ofTrack) {
    std::optional<int32_t>& nearest = ofTrack[timeline.track[event]];
    if (hasLaunch(timeline, event)) nearest = timeline.iteration[event];
    if (!found[event] && nearest && isOfRecording(event, *nearest)) found[event] = nearest;
  };
  for (EventIndex event = size; event-- > 0;) visit(event, next);
  for (EventIndex event = 0; event < size; ++event) visit(event, before);
  for (EventIndex event = 0; event < size; ++event)
    timeline.iteration[event] = found[event].value_or(iterationAt(beginsNs, timeline.startNs[event]));
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

/// The begin of each forward, ascending.
std::vector<int64_t> beginsOf(const Timeline& timeline, std::span<const ForwardExtent> forwards) {
  std::vector<EventIndex> launched;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (hasLaunch(timeline, event)) launched.push_back(event);
  const auto startNs = [&](EventIndex event) { return launchOf(timeline, event).startNs; };
  std::ranges::stable_sort(launched, {}, startNs);
  std::vector<int64_t> beginsNs{INT64_MIN};
  for (size_t i = 1; i < forwards.size(); ++i) {
    if (const uint32_t recording = timeline.recordingAt(timeline.startNs[forwards[i].first]);
        recording != timeline.recordingAt(timeline.startNs[forwards[i - 1].first])) {
      beginsNs.push_back(timeline.recordings[recording].startNs);
      continue;
    }
    const int64_t firstNs = std::max(startNs(forwards[i].first), beginsNs.back());
    const int64_t lastNs = std::min(std::max(startNs(forwards[i - 1].last), beginsNs.back()), firstNs);
    int64_t beginNs = firstNs, longestNs = INT64_MIN;
    int64_t endNs = lastNs;
    const auto at = std::ranges::lower_bound(launched, lastNs, {}, startNs);
    for (auto event = at; event != launched.end() && startNs(*event) <= firstNs; ++event) {
      const TimeInterval launch = launchOf(timeline, *event);
      if (launch.startNs > lastNs && launch.startNs - endNs > longestNs) {
        longestNs = launch.startNs - endNs;
        beginNs = beginAround(timeline, *event, endNs);
      }
      endNs = std::max(endNs, launch.endNs);
    }
    beginsNs.push_back(beginNs);
  }
  return beginsNs;
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

bool areIterationsForwards(const Timeline& timeline) {
  return std::ranges::any_of(timeline.problems, [](const DataProblem& problem) { return problem.what == kForwards; });
}

bool dropsWarmUp(const Timeline& timeline) {
  return std::ranges::any_of(timeline.iterations, [](const Iteration& one) { return one.leftOut == LeftOut::WarmUp; });
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

void takeAsOneIteration(Timeline& timeline) {
  const std::vector<int64_t> beginsNs = beginsOfRecordings(timeline);
  timeline.iterations.assign(beginsNs.size(), {"whole trace", std::nullopt, std::nullopt});
  for (uint32_t i = 0; i < beginsNs.size(); ++i) timeline.iterations[i].recording = i;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    timeline.iteration[event] = iterationAt(beginsNs, timeline.startNs[event]);
  placeHostEvents(timeline, beginsNs);
  DataProblems others;
  for (const DataProblem& problem : timeline.problems)
    if (!isProblemOfIterations(problem.name)) others.append(problem);
  timeline.problems = std::move(others);
  setSpillIn(timeline);
}

void divideAt(Timeline& timeline, std::span<const ForwardExtent> forwards, bool dropsFirst) {
  takeAsOneIteration(timeline);
  const std::vector<int64_t> beginsNs = beginsOf(timeline, forwards);
  timeline.iterations.clear();
  std::vector<size_t> firsts(timeline.recordingCount()), counts = firsts;
  for (const ForwardExtent& forward : forwards) {
    const uint32_t recording = timeline.recordingAt(timeline.startNs[forward.first]);
    if (counts[recording]++ == 0) firsts[recording] = timeline.iterations.size();
    Iteration& one = timeline.iterations.emplace_back();
    one.name = fmt::format("forward {}", counts[recording]);
    one.recording = recording;
  }
  for (EventIndex event = 0; event < timeline.size(); ++event)
    timeline.iteration[event] = iterationAt(beginsNs, launchOf(timeline, event).startNs);
  placeSpillIn(timeline, beginsNs);
  placeHostEvents(timeline, beginsNs);
  for (size_t recording = 0; dropsFirst && recording < firsts.size(); ++recording)
    if (counts[recording] >= 3) timeline.iterations[firsts[recording]].leftOut = LeftOut::WarmUp;
  timeline.problems.add(kGuessedIterations, static_cast<int64_t>(forwards.size()), kForwards);
  setSpillIn(timeline);
}

void divideAs(Timeline& timeline, const Timeline& divided) {
  timeline.iterations = divided.iterations;
  timeline.iteration = divided.iteration;
  timeline.problems = divided.problems;
  std::vector<int64_t> beginsNs(timeline.iterations.size(), INT64_MAX);
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.iteration[event] != kNoIteration && hasLaunch(timeline, event)) {
      int64_t& beginNs = beginsNs[static_cast<size_t>(timeline.iteration[event])];
      beginNs = std::min(beginNs, launchOf(timeline, event).startNs);
    }
  for (size_t i = beginsNs.size(); i-- > 1;) beginsNs[i - 1] = std::min(beginsNs[i - 1], beginsNs[i]);
  for (size_t i = 1; i < beginsNs.size(); ++i)
    if (const uint32_t recording = timeline.iterations[i].recording; recording != timeline.iterations[i - 1].recording)
      beginsNs[i] = timeline.recordings[recording].startNs;
  placeHostEvents(timeline, beginsNs);
}

}  // namespace amdahlc
