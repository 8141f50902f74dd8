#include "timeline/relations.h"

#include <algorithm>
#include <unordered_map>

namespace amdahlc {
namespace {

/// The deepest nesting: far above the depth of Python's stack (1000 by default), and a bound on what a hostile file can cost.
constexpr size_t kMaxOpenEvents = 4096;

bool isNested(EventKind kind) {
  return kind == EventKind::Operator || kind == EventKind::Frame || kind == EventKind::ModuleFrame ||
         kind == EventKind::Runtime;
}

/// Start and duration are cut to the clock's unit separately, so a child may seem to end up to one unit after its parent.
int64_t clockResolutionNs(const Timeline& timeline) {
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.startNs[event] % 1000 != 0 || timeline.durationNs[event] % 1000 != 0) return 1;
  return 1000;
}

/// The events of one thread that have begun and not ended, in order of their start.
struct OpenEvents {
  std::vector<EventIndex> stack;
  size_t sweepAt = 64;

  void removeEnded(const Timeline& timeline, int64_t nowNs) {
    while (!stack.empty() && timeline.endNs(stack.back()) <= nowNs) stack.pop_back();
    if (stack.size() < sweepAt) return;
    // Ended events may lie below one that crosses them.
    std::erase_if(stack, [&](EventIndex open) { return timeline.endNs(open) <= nowNs; });
    sweepAt = std::max<size_t>(64, 2 * stack.size());
  }
};

}  // namespace

void addProblem(Timeline& timeline, std::string_view name, int64_t count, std::string_view what) {
  if (count > 0) timeline.problems.push_back({std::string(name), count, std::string(what)});
}

void nestHostEvents(Timeline& timeline) {
  const int64_t resolutionNs = clockResolutionNs(timeline);
  std::vector<OpenEvents> open(timeline.tracks.size());
  int64_t crossing = 0, tooDeep = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const EventKind kind = timeline.kind[event];
    if (!isNested(kind) && kind != EventKind::Annotation) continue;
    OpenEvents& onThread = open[timeline.track[event]];
    onThread.removeEnded(timeline, timeline.startNs[event]);
    bool crosses = false;
    for (auto at = onThread.stack.rbegin(); at != onThread.stack.rend(); ++at) {
      if (timeline.endNs(*at) <= timeline.startNs[event]) continue;
      if (timeline.endNs(event) <= timeline.endNs(*at) + resolutionNs) {
        timeline.parent[event] = *at;
        break;
      }
      crosses = true;
    }
    if (!isNested(kind)) continue;
    crossing += crosses;
    if (onThread.stack.size() < kMaxOpenEvents)
      onThread.stack.push_back(event);
    else
      ++tooDeep;
  }
  addProblem(timeline, "crossing-host-events", crossing,
             "host events begin inside an event of their thread and end after it");
  addProblem(timeline, "nesting-too-deep", tooDeep, "host events are nested beyond 4096 levels and enclose nothing");
}

std::vector<EventIndex> enclosingOperators(const Timeline& timeline) {
  std::vector<EventIndex> around(timeline.size(), kNoEvent);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const EventIndex parent = timeline.parent[event];  // its index is lower
    if (parent != kNoEvent) around[event] = timeline.kind[parent] == EventKind::Operator ? parent : around[parent];
  }
  return around;
}

void joinLaunches(Timeline& timeline) {
  std::unordered_map<int64_t, std::vector<EventIndex>> calls;  // in order of start
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.kind[event] == EventKind::Runtime && timeline.correlation[event] >= 0)
      calls[timeline.correlation[event]].push_back(event);

  const std::vector<EventIndex> around = enclosingOperators(timeline);
  int64_t tooLate = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (!timeline.isDeviceKind(event) || timeline.correlation[event] < 0) continue;
    const auto found = calls.find(timeline.correlation[event]);
    if (found == calls.end()) continue;
    const std::vector<EventIndex>& candidates = found->second;
    const auto after =
        std::upper_bound(candidates.begin(), candidates.end(), timeline.startNs[event],
                         [&](int64_t timeNs, EventIndex call) { return timeNs < timeline.startNs[call]; });
    tooLate += after == candidates.begin();
    timeline.launch[event] = after == candidates.begin() ? candidates.front() : *(after - 1);
    timeline.launchOp[event] = around[timeline.launch[event]];
  }
  addProblem(timeline, "device-before-launch", tooLate,
             "device events begin before the call that launched them; the clocks of host and device disagree");
}

void countDeviceProblems(Timeline& timeline) {
  int64_t withoutDuration = 0, withoutLaunch = 0, overlapping = 0, launchCalls = 0;
  std::vector<int64_t> streamEndNs(timeline.tracks.size(), INT64_MIN);
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.kind[event] == EventKind::Runtime)
      launchCalls += timeline.text(timeline.name[event]).find("Launch") != std::string_view::npos;
    if (!timeline.deviceWork[event]) continue;
    withoutDuration += timeline.durationNs[event] == 0;
    if (!timeline.hasDevice) continue;
    withoutLaunch += timeline.launch[event] == kNoEvent;
    int64_t& endNs = streamEndNs[timeline.track[event]];
    overlapping += timeline.startNs[event] < endNs;
    endNs = std::max(endNs, timeline.endNs(event));
  }
  addProblem(timeline, "zero-duration", withoutDuration,
             "device events have no duration: shorter than the clock's unit, or not measured");
  addProblem(timeline, "no-launch", withoutLaunch,
             "device events have no launching call in the trace; they are placed by their own time");
  addProblem(timeline, "overlap-on-stream", overlapping,
             "device events begin before an earlier one of their stream has ended");
  if (!timeline.hasDevice)
    addProblem(timeline, "no-device-events", launchCalls,
               "kernel launches have no device events in the trace; host operators are reported instead");
}

}  // namespace amdahlc
