#include "timeline/timeline.h"

#include <algorithm>
#include <tuple>

namespace amdahlc {

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::Kernel:
      return "kernel";
    case EventKind::Copy:
      return "copy";
    case EventKind::Set:
      return "set";
    case EventKind::Operator:
      return "operator";
    case EventKind::Runtime:
      return "runtime";
    case EventKind::Annotation:
      return "annotation";
    case EventKind::DeviceAnnotation:
      return "device-annotation";
    case EventKind::Frame:
      return "frame";
    case EventKind::ModuleFrame:
      return "module-frame";
    case EventKind::Synchronization:
      return "synchronization";
    case EventKind::Other:
      return "other";
  }
  return "other";
}

std::vector<EventIndex> Timeline::selectedEvents() const {
  std::vector<EventIndex> events;
  for (EventIndex event = 0; event < size(); ++event)
    if (isSelected(event)) events.push_back(event);
  return events;
}

int64_t Timeline::selectedIterationCount() const {
  return std::count_if(iterations.begin(), iterations.end(), [](const Iteration& it) { return it.selected; });
}

const LaunchFacts* Timeline::launchFactsOf(EventIndex event) const {
  return factsIndex[event] == kNoFacts ? nullptr : &launchFacts[factsIndex[event]];
}

std::vector<HostEventId> HostFacts::operatorChain(EventIndex event) const {
  std::vector<HostEventId> chain;
  for (HostEventId at = launchOp[event]; !at.isNone(); at = parent[at])
    if (kind[at] == EventKind::Operator) chain.push_back(at);
  return chain;
}

std::vector<HostEventId> HostFacts::moduleFrames(EventIndex event) const {
  std::vector<HostEventId> frames;
  if (launch[event].isNone()) return frames;
  for (HostEventId at = parent[launch[event]]; !at.isNone(); at = parent[at])
    if (kind[at] == EventKind::ModuleFrame) frames.push_back(at);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

const OperatorFacts* HostFacts::operatorFactsOf(HostEventId event) const {
  return factsIndex[event] == kNoFacts ? nullptr : &operatorFacts[factsIndex[event]];
}

bool haveSameDeviceEvents(const Timeline& a, const Timeline& b) {
  if (std::tie(a.kind, a.startNs, a.durationNs, a.correlation, a.iteration, a.hasDevice) !=
      std::tie(b.kind, b.startNs, b.durationNs, b.correlation, b.iteration, b.hasDevice))
    return false;
  for (EventIndex event = 0; event < a.size(); ++event) {
    const Track &ofA = a.tracks[a.track[event]], &ofB = b.tracks[b.track[event]];
    if (a.text(a.name[event]) != b.text(b.name[event]) ||
        std::tie(ofA.process, ofA.thread, ofA.device) != std::tie(ofB.process, ofB.thread, ofB.device))
      return false;
  }
  return true;
}

}  // namespace amdahlc
