#include "replay/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "replay/timeline/time_limits.h"
#include "support/printable.h"

namespace amdahlc {

namespace {

constexpr bool followsTheKinds() {
  for (size_t i = 0; i < std::size(kEventKinds); ++i)
    if (kEventKinds[i].kind != static_cast<EventKind>(i)) return false;
  return std::size(kEventKinds) == static_cast<size_t>(EventKind::Other) + 1;
}
static_assert(followsTheKinds());

}  // namespace

std::optional<Absence> Timeline::absenceOfTrace() const {
  if (!hasStarts) return Absence{Absence::Reason::NoStarts};
  return host ? std::nullopt : std::optional(Absence{Absence::Reason::TraceNotGiven});
}

std::optional<Absence> Timeline::absenceOfHostSide() const {
  // To give the trace would not help without a device.
  if (hasStarts && !hasDevice) return Absence{Absence::Reason::NoDevice};
  if (const auto absence = absenceOfTrace()) return absence;
  return host->size() == 0 ? std::optional(Absence{Absence::Reason::NoHostEvents}) : std::nullopt;
}

std::vector<EventIndex> Timeline::selectedEvents() const {
  std::vector<EventIndex> events;
  for (EventIndex event = 0; event < size(); ++event)
    if (isSelected(event)) events.push_back(event);
  return events;
}

std::string_view Timeline::nodesText(EventIndex event) const {
  const std::string_view own = text(name[event]);
  const auto found = nodesByName.find(own);
  return found == nodesByName.end() ? own : std::string_view(found->second);
}

int64_t Timeline::selectedIterationCount() const {
  return std::ranges::count_if(iterations, [](const Iteration& it) { return it.selected(); });
}

uint32_t Timeline::recordingAt(int64_t ns) const {
  const auto next = std::ranges::upper_bound(recordings, ns, {}, &Recording::startNs);
  return static_cast<uint32_t>(std::max<ptrdiff_t>(1, next - recordings.begin()) - 1);
}

void Timeline::addRecording(Recording recording) {
  const std::string_view comma = recordings.empty() ? "" : ",";
  if (recordings.empty()) file = contentHash = "";
  file += fmt::format("{}{}", comma, recording.file);
  contentHash += fmt::format("{}{}", comma, recording.contentHash);
  recordings.push_back(std::move(recording));
}

std::string Timeline::iterationName(size_t iteration) const {
  const Iteration& one = iterations[iteration];
  return recordings.empty() ? one.name : fmt::format("{} (recording {})", one.name, one.recording + 1);
}

std::vector<std::string> Timeline::iterationNames(LeftOut reason) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < iterations.size(); ++i)
    if (iterations[i].leftOut == reason) names.push_back(iterationName(i));
  return names;
}

const LaunchFacts* Timeline::launchFactsOf(EventIndex event) const {
  return factsIndex[event] == kNoFacts ? nullptr : &launchFacts[factsIndex[event]];
}

std::string_view Timeline::statedNode(EventIndex event) const {
  if (!host || host->launchOp[event].isNone()) return {};
  const OperatorFacts* facts = host->operatorFactsOf(host->launchOp[event]);
  return facts == nullptr ? std::string_view() : std::string_view(facts->node);
}

const OperatorFacts* HostFacts::operatorFactsOf(HostEventId event) const {
  const bool isThere = kind[event] == EventKind::Operator && factsIndex[event] != kNoFacts;
  return isThere ? &operatorFacts[factsIndex[event]] : nullptr;
}

const WaitFacts* HostFacts::waitFactsOf(HostEventId event) const {
  const bool isThere = kind[event] == EventKind::Synchronization && factsIndex[event] != kNoFacts;
  return isThere ? &waitFacts[factsIndex[event]] : nullptr;
}

namespace {

std::string iterationOf(const Timeline& timeline, EventIndex event) {
  const int32_t iteration = timeline.iteration[event];
  return iteration == kNoIteration ? "in no iteration" : fmt::format("in iteration {}", iteration);
}

std::string trackOf(const Timeline& timeline, EventIndex event) {
  const Track& track = timeline.tracks[timeline.track[event]];
  return fmt::format("on {} `{}/{}`", track.device ? "stream" : "thread", track.process, track.thread);
}

}  // namespace

std::vector<TimeInterval> intervalsOf(const EventColumns& events, std::span<const EventIndex> of) {
  std::vector<TimeInterval> intervals;
  intervals.reserve(of.size());
  for (const EventIndex event : of) intervals.push_back(events.interval(event));
  return intervals;
}

size_t representativeIteration(const Timeline& timeline) {
  // Many callers ask, so that this is one pass over columns that stay where they are, without branches that depend on
  // the events.
  std::vector<TimeInterval> extents(timeline.iterations.size(), {kMaxTimeNs, -kMaxTimeNs});
  const std::span<const int32_t> iteration = timeline.iteration;
  const std::span<const int64_t> startNs = timeline.startNs, durationNs = timeline.durationNs;
  for (size_t event = 0; event < iteration.size(); ++event) {
    if (iteration[event] == kNoIteration) continue;
    const int64_t beginNs = startNs[event], endNs = beginNs + durationNs[event];
    TimeInterval& extent = extents[static_cast<size_t>(iteration[event])];
    extent = {std::min(extent.startNs, beginNs), std::max(extent.endNs, endNs)};
  }
  const auto wallNs = [&](size_t i) { return std::max<int64_t>(0, extents[i].lengthNs()); };
  std::vector<int64_t> wallsNs;
  for (size_t i = 0; i < extents.size(); ++i)
    if (timeline.iterations[i].selected()) wallsNs.push_back(wallNs(i));
  if (wallsNs.empty()) return 0;
  const auto middle = wallsNs.begin() + static_cast<ptrdiff_t>((wallsNs.size() - 1) / 2);
  std::ranges::nth_element(wallsNs, middle);
  for (size_t i = 0;; ++i)
    if (timeline.iterations[i].selected() && wallNs(i) == *middle) return i;
}

ReportedIterations::ReportedIterations(const Timeline& timeline) {
  for (const Iteration& iteration : timeline.iterations) isReported_.push_back(iteration.selected());
  const int64_t selected = timeline.selectedIterationCount();
  count_ = std::max<int64_t>(selected, 1);
  if (timeline.average == Average::Mean || selected == 0) return;
  const size_t only = representativeIteration(timeline);
  place_ =
      static_cast<size_t>(std::count(isReported_.begin(), isReported_.begin() + static_cast<ptrdiff_t>(only), true));
  isReported_.assign(isReported_.size(), false);
  isReported_[only] = true;
  count_ = 1;
}

std::vector<EventIndex> ReportedIterations::events(const Timeline& timeline) const {
  std::vector<EventIndex> events;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (has(timeline.iteration[event])) events.push_back(event);
  return events;
}

TimeStatistics timeOfIterations(std::span<const int64_t> samplesNs, std::optional<size_t> reported) {
  TimeStatistics out = timeStatistics(samplesNs, Average::Mean);
  if (reported) out.reportedNs = samplesNs[*reported];
  return out;
}

bool isRunLabel(std::string_view text) {
  return !text.empty() && text.find('/') == std::string_view::npos && printable(text) == text;
}

std::string deviceEventDifference(const Timeline& a, const Timeline& b) {
  if (a.hasStarts != b.hasStarts)
    return fmt::format("its events have {}starts, but {}in the trace", a.hasStarts ? "" : "no ",
                       b.hasStarts ? "" : "none ");
  if (a.meanOf != b.meanOf)
    return fmt::format("its durations are means of {}, but of {} in the trace", a.meanOf, b.meanOf);
  if (a.hasDevice != b.hasDevice)
    return fmt::format("its events are of {}, but of {} in the trace", a.hasDevice ? "a device" : "the host",
                       b.hasDevice ? "a device" : "the host");
  if (a.size() != b.size()) return fmt::format("it has {} device events, but {} in the trace", a.size(), b.size());
  for (EventIndex event = 0; event < a.size(); ++event) {
    const auto difference = [&](std::string_view verb, const auto& here, const auto& there) {
      return fmt::format("event {} {} {}, but {} in the trace", event, verb, here, there);
    };
    if (a.text(a.name[event]) != b.text(b.name[event]))
      return difference("is", '`' + std::string(a.text(a.name[event])) + '`',
                        '`' + std::string(b.text(b.name[event])) + '`');
    if (a.kind[event] != b.kind[event]) return difference("is of kind", name(a.kind[event]), name(b.kind[event]));
    if (a.startNs[event] != b.startNs[event])
      return difference("starts at", fmt::format("{} ns", a.startNs[event]), fmt::format("{} ns", b.startNs[event]));
    if (a.durationNs[event] != b.durationNs[event])
      return difference("lasts", fmt::format("{} ns", a.durationNs[event]), fmt::format("{} ns", b.durationNs[event]));
    if (a.correlation[event] != b.correlation[event])
      return difference("has the correlation", a.correlation[event], b.correlation[event]);
    if (a.iteration[event] != b.iteration[event]) return difference("is", iterationOf(a, event), iterationOf(b, event));
    if (trackOf(a, event) != trackOf(b, event)) return difference("runs", trackOf(a, event), trackOf(b, event));
  }
  return {};
}

}  // namespace amdahlc
