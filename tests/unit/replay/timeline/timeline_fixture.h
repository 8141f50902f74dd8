/// Short ways to write down a run. Times in nanoseconds.
#pragma once

#include <string_view>
#include <vector>

#include "runs/builder/builder.h"

namespace amdahlc::testing {

struct Run {
  Run() { builder.facts().target.runtime = "pytorch"; }

  TimelineBuilder builder;
  uint32_t host = builder.track("100", "100", false);
  uint32_t stream = builder.track("0", "7", true);
  int64_t record = 0;

  void add(EventKind kind, std::string_view name, int64_t startNs, int64_t endNs, int64_t correlation = -1) {
    RawEvent event;
    event.kind = kind;
    event.name = name;
    event.startNs = startNs;
    event.durationNs = endNs - startNs;
    event.track = info(kind).onDevice ? stream : host;
    event.correlation = correlation;
    if (!info(kind).onDevice) event.recordOrder = record++;
    builder.add(event);
  }
  void op(std::string_view name, int64_t startNs, int64_t endNs) { add(EventKind::Operator, name, startNs, endNs); }
  void module(std::string_view name, int64_t startNs, int64_t endNs) {
    add(EventKind::ModuleFrame, name, startNs, endNs);
  }
  void annotation(std::string_view name, int64_t startNs, int64_t endNs) {
    add(EventKind::Annotation, name, startNs, endNs);
  }
  void call(int64_t correlation, int64_t startNs, int64_t endNs) {
    add(EventKind::Runtime, "cudaLaunchKernel", startNs, endNs, correlation);
  }
  void kernel(std::string_view name, int64_t correlation, int64_t startNs, int64_t endNs) {
    add(EventKind::Kernel, name, startNs, endNs, correlation);
  }
  /// A launch of 10 ns and its kernel of 50 ns, 100 ns later.
  void launch(std::string_view name, int64_t correlation, int64_t startNs) {
    call(correlation, startNs, startNs + 10);
    kernel(name, correlation, startNs + 100, startNs + 150);
  }
  Timeline finish(StepSelection selection = StepSelection::Auto) { return builder.finish(selection); }
};

/// A device event.
inline EventIndex find(const Timeline& timeline, std::string_view name, size_t which = 0) {
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.text(timeline.name[event]) == name && which-- == 0) return event;
  return kNoEvent;
}
inline HostEventId findHost(const Timeline& timeline, std::string_view name, size_t which = 0) {
  for (const HostEventId event : timeline.host->kind.ids())
    if (timeline.text(timeline.host->name[event]) == name && which-- == 0) return event;
  return {};
}

/// The host events of a kind around the launch of a device event, the innermost first.
inline std::vector<HostEventId> around(const Timeline& timeline, EventIndex event, EventKind kind) {
  std::vector<HostEventId> found;
  for (HostEventId at = timeline.host->launch[event]; !at.isNone(); at = timeline.host->parent[at])
    if (timeline.host->kind[at] == kind) found.push_back(at);
  return found;
}

inline int64_t problemCount(const Timeline& timeline, std::string_view name) {
  for (const DataProblem& problem : timeline.problems)
    if (problem.name == name) return problem.count;
  return 0;
}

}  // namespace amdahlc::testing
