#include "replay/schedule/dropped_waits.h"

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

std::map<std::string, std::vector<HostEventId>, std::less<>> waitsByName(const RunModel& model) {
  const HostFacts& host = model.calls.host();
  const std::vector<bool> inTheMiddle = waitsInTheMiddle(model);
  std::map<std::string, std::vector<HostEventId>, std::less<>> waits;
  for (CallIndex index = 0; index < inTheMiddle.size(); ++index) {
    if (!inTheMiddle[index]) continue;
    const HostEventId call = model.calls.calls()[index].event;
    for (HostEventId event = call; !event.isNone(); event = host.parent[event]) {
      std::vector<HostEventId>& named = waits[std::string(model.calls.timeline().text(host.name[event]))];
      // Several around the call may have one name.
      if (named.empty() || named.back() != call) named.push_back(call);
    }
  }
  return waits;
}

std::vector<std::string> namesOfWaits(const RunModel& model) {
  std::vector<std::string> names;
  for (const auto& [name, waits] : waitsByName(model)) names.push_back(name);
  return names;
}

void dropWaits(const RunModel& model, std::span<const HostEventId> waits, Changes& changes) {
  const RunCalls& calls = model.calls;
  changes.unmade.resize(calls.calls().size());
  changes.unawaited.resize(calls.timeline().size());
  for (const HostEventId wait : waits) {
    const CallIndex index = calls.callOf(wait);
    if (index == kNoCall) continue;
    const Call& call = calls.calls()[index];
    if (call.launches)
      changes.unawaited[calls.launched(call).front()] = true;
    else
      changes.unmade[index] = true;
  }
}

void dropWaits(const RunModel& model, std::string_view name, Changes& changes) {
  const auto waits = waitsByName(model);
  if (const auto found = waits.find(name); found != waits.end()) dropWaits(model, found->second, changes);
}

}  // namespace amdahlc::schedule
