#include "passes/trace_bind/launches.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace amdahlc::binding {

TrainingPhases::TrainingPhases(const Timeline& timeline)
    : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)) {
  const HostFacts& host = *timeline.host;
  SymbolMemo<TrainingPhase> phaseOfName(timeline.strings);
  const auto phaseOf = [&](HostEventId event) {
    if (host.kind[event] != EventKind::Operator && host.kind[event] != EventKind::Annotation)
      return TrainingPhase::Forward;
    return phaseOfName.of(host.name[event], [&](std::string_view name) { return runtime_.phase(name); });
  };
  // Steps of the backward pass on all threads, by start, with the end of all until there.
  std::vector<std::pair<int64_t, int64_t>> backward;
  for (const HostEventId event : host.kind.ids())
    if (phaseOf(event) == TrainingPhase::Backward)
      backward.emplace_back(host.startNs[event],
                            std::max(host.endNs(event), backward.empty() ? INT64_MIN : backward.back().second));
  // An annotation is not the parent of what runs in it, so that phases are found by time. Events that cross the end of
  // a phase are not in it.
  struct Phase {
    HostEventId begin;
    int64_t startNs = INT64_MIN, endNs = INT64_MIN;
    bool contains(int64_t start, int64_t end) const { return start >= startNs && start < endNs && end <= endNs; }
  };
  struct Thread {
    Phase step, optimizer;
  };
  std::vector<Thread> threads(timeline.tracks.size());
  begin_.resize(host.size());
  for (const HostEventId event : host.kind.ids()) {
    if (info(host.kind[event]).onDevice) continue;
    auto& [step, optimizer] = threads[host.track[event]];
    const int64_t start = host.startNs[event], end = host.endNs(event);
    if (step.contains(start, end)) {
      begin_[event] = step.begin;
    } else if (optimizer.contains(start, end)) {
      begin_[event] = optimizer.begin;
    } else if (const TrainingPhase own = phaseOf(event); own == TrainingPhase::Backward) {
      begin_[event] = event;
      step = {event, start, end};
    } else if (own == TrainingPhase::Optimizer) {
      // A closure of the optimizer runs the forward and the backward pass first.
      const auto last = std::ranges::lower_bound(backward, std::pair(end, INT64_MIN));
      const bool hasClosure = last != backward.begin() && std::prev(last)->first > start;
      optimizer = {event, hasClosure ? std::prev(last)->second : start, end};
      if (!hasClosure) begin_[event] = event;
    }
  }
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator || !begin_[event].isNone()) continue;
    const int64_t sequenceNumber = host.sequenceNumber[event];
    if (sequenceNumber < 0) continue;
    // An operator has the number of the next node of the autograd graph. Several have the same one; the last of them
    // created the node.
    const auto [entry, isNew] = operatorOf_.try_emplace(sequenceNumber, event);
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
  const auto found = step.isNone() ? operatorOf_.end() : operatorOf_.find(timeline_.host->sequenceNumber[step]);
  return found == operatorOf_.end() ? HostEventId() : found->second;
}

}  // namespace amdahlc::binding
