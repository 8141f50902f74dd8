#include "timeline/timeline.h"

#include <algorithm>

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

std::vector<EventIndex> Timeline::operatorChain(EventIndex event) const {
  std::vector<EventIndex> chain;
  for (EventIndex at = launchOp[event]; at != kNoEvent; at = parent[at])
    if (kind[at] == EventKind::Operator) chain.push_back(at);
  return chain;
}

std::vector<EventIndex> Timeline::moduleFrames(EventIndex event) const {
  std::vector<EventIndex> frames;
  if (launch[event] == kNoEvent) return frames;
  for (EventIndex at = parent[launch[event]]; at != kNoEvent; at = parent[at])
    if (kind[at] == EventKind::ModuleFrame) frames.push_back(at);
  std::reverse(frames.begin(), frames.end());
  return frames;
}

const OperatorFacts* Timeline::operatorFactsOf(EventIndex event) const {
  if (kind[event] != EventKind::Operator || factsIndex[event] == kNoFacts) return nullptr;
  return &operatorFacts[factsIndex[event]];
}

const LaunchFacts* Timeline::launchFactsOf(EventIndex event) const {
  if (!isDeviceKind(event) || factsIndex[event] == kNoFacts) return nullptr;
  return &launchFacts[factsIndex[event]];
}

}  // namespace amdahlc
