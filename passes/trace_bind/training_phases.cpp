#include "passes/trace_bind/training_phases.h"

#include <vector>

namespace amdahlc::binding {

TrainingPhases::TrainingPhases(const Timeline& timeline)
    : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {
  const HostFacts& host = *timeline.host;
  // An annotation is not the parent of what runs in it, so that phases are found by time. Events of a thread are
  // nested: one that starts before the end of a phase lies in it.
  struct Open {
    HostEventId begin;
    int64_t endNs = INT64_MIN;
  };
  std::vector<Open> openOf(timeline.tracks.size());
  std::unordered_map<uint32_t, TrainingPhase> phaseOfName;  // by symbol; looked up only
  begin_.resize(host.size());
  for (const HostEventId event : host.kind.ids()) {
    if (info(host.kind[event]).onDevice) continue;
    Open& open = openOf[host.track[event]];
    if (host.startNs[event] < open.endNs) {
      begin_[event] = open.begin;
      continue;
    }
    if (host.kind[event] != EventKind::Operator && host.kind[event] != EventKind::Annotation) continue;
    const Symbol name = host.name[event];
    const auto [entry, isNew] = phaseOfName.try_emplace(name.index, TrainingPhase::Forward);
    if (isNew) entry->second = runtime_.phase(timeline.text(name));
    if (entry->second == TrainingPhase::Forward) continue;
    begin_[event] = event;
    open = {event, host.endNs(event)};
  }
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator || !begin_[event].isNone()) continue;
    const OperatorFacts* facts = host.operatorFactsOf(event);
    if (!facts || facts->sequenceNumber < 0) continue;
    // An operator has the number of the next node of the autograd graph. Several have the same one; the last of them
    // created the node.
    const auto [entry, isNew] = operatorOf_.try_emplace(facts->sequenceNumber, event);
    if (isNew || entry->second.isNone()) continue;
    entry->second = host.track[entry->second] == host.track[event] ? event : HostEventId();
  }
}

HostEventId TrainingPhases::beginAround(EventIndex event) const {
  const HostFacts& host = *timeline_.host;
  const HostEventId launch = host.launch[event].isNone() ? host.launchOp[event] : host.launch[event];
  return launch.isNone() ? launch : begin_[launch];
}

TrainingPhase TrainingPhases::phase(HostEventId begin) const {
  return runtime_.phase(timeline_.text(timeline_.host->name[begin]));
}

HostEventId TrainingPhases::forwardOf(HostEventId step) const {
  const OperatorFacts* facts = step.isNone() ? nullptr : timeline_.host->operatorFactsOf(step);
  const auto found = facts ? operatorOf_.find(facts->sequenceNumber) : operatorOf_.end();
  return found == operatorOf_.end() ? HostEventId() : found->second;
}

}  // namespace amdahlc::binding
