#include "replay/schedule/dropped_waits.h"

#include <algorithm>
#include <map>
#include <set>

namespace amdahlc::schedule {

std::vector<bool> waitsInTheMiddle(const RunModel& model) {
  const RunCalls& calls = model.calls;
  const Timeline& timeline = calls.timeline();
  // By iteration, whether a later call launches work of it.
  std::vector<bool> launches(timeline.iterations.size(), false);
  std::vector<bool> found(calls.calls().size(), false);
  for (auto index = static_cast<CallIndex>(found.size()); index-- > 0;) {
    const Call& call = calls.calls()[index];
    const CallWait& wait = model.waits.of(index);
    const int32_t iteration = calls.host().iteration[call.event];
    found[index] = wait.kind != CallWait::Kind::None && wait.kind != CallWait::Kind::Queue &&
                   iteration != kNoIteration && launches[static_cast<size_t>(iteration)];
    for (const EventIndex event : calls.launched(call))
      if (timeline.iteration[event] != kNoIteration) launches[static_cast<size_t>(timeline.iteration[event])] = true;
  }
  return found;
}

std::vector<std::string> namesOfWaits(const RunModel& model) {
  const HostFacts& host = model.calls.host();
  const std::vector<bool> inTheMiddle = waitsInTheMiddle(model);
  IdVector<HostEventId, bool> isVisited(host.size(), false);
  std::set<std::string_view> names;
  for (CallIndex index = 0; index < inTheMiddle.size(); ++index) {
    if (!inTheMiddle[index]) continue;
    for (HostEventId event = model.calls.calls()[index].event; !event.isNone() && !isVisited[event];
         event = host.parent[event]) {
      isVisited[event] = true;
      names.insert(model.calls.timeline().text(host.name[event]));
    }
  }
  return {names.begin(), names.end()};
}

void dropWaits(const RunModel& model, std::string_view name, Changes& changes) {
  const RunCalls& calls = model.calls;
  const HostFacts& host = calls.host();
  const std::vector<bool> inTheMiddle = waitsInTheMiddle(model);
  changes.unmade.resize(calls.calls().size());
  changes.unawaited.resize(calls.timeline().size());
  // By host event: whether it or something around it has the name. Whatever is around an event is before it.
  IdVector<HostEventId, bool> isNamed(host.size(), false);
  for (const HostEventId event : host.kind.ids()) {
    const HostEventId parent = host.parent[event];
    isNamed[event] = (!parent.isNone() && isNamed[parent]) || calls.timeline().text(host.name[event]) == name;
  }
  for (CallIndex index = 0; index < inTheMiddle.size(); ++index) {
    const Call& call = calls.calls()[index];
    if (!inTheMiddle[index] || !isNamed[call.event]) continue;
    if (call.launches)
      changes.unawaited[calls.launched(call).front()] = true;
    else
      changes.unmade[index] = true;
  }
}

}  // namespace amdahlc::schedule
