#include <algorithm>

#include "replay/schedule/program_changes.h"

namespace amdahlc::schedule {
namespace {

/// The calls of a thread that launch, in order, with counts of those of which nothing is left.
class ThreadLaunches {
 public:
  void add(int64_t startNs, bool isRemoved) {
    startNs_.push_back(startNs);
    removed_.push_back(removed_.back() + (isRemoved ? 1 : 0));
  }
  /// Whether launches begin in [startNs, endNs), and nothing is left of any.
  bool areRemoved(int64_t startNs, int64_t endNs) const {
    const auto at = [&](int64_t ns) {
      return static_cast<size_t>(std::lower_bound(startNs_.begin(), startNs_.end(), ns) - startNs_.begin());
    };
    const size_t first = at(startNs), last = at(endNs);
    return first < last && removed_[last] - removed_[first] == last - first;
  }

 private:
  std::vector<int64_t> startNs_;
  /// How many of the first n launches are removed.
  std::vector<size_t> removed_{0};
};

}  // namespace

void removeEvents(const RunModel& model, const EventSet& events, Changes& changes) {
  const RunCalls& calls = model.calls;
  changes.removed.resize(events.size());
  changes.unmade.resize(calls.calls().size());
  for (EventIndex event = 0; event < events.size(); ++event)
    if (events[event]) changes.removed[event] = true;

  std::vector<ThreadLaunches> launches(calls.threads());
  for (const Call& call : calls.calls()) {
    const auto launched = calls.launched(call);
    if (launched.empty()) continue;
    const bool isRemoved =
        std::all_of(launched.begin(), launched.end(), [&](EventIndex event) { return changes.removed[event]; });
    launches[call.thread].add(call.startNs, isRemoved);
  }

  // The outermost operators without work, and calls outside of operators.
  const HostFacts& host = calls.host();
  std::vector<std::vector<TimeInterval>> empty(calls.threads());
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator) continue;
    const ThreadIndex thread = calls.threadOfTrack(host.track[event]);
    if (thread == kNoTrack) continue;
    if (!empty[thread].empty() && host.startNs[event] < empty[thread].back().endNs) continue;
    if (launches[thread].areRemoved(host.startNs[event], host.endNs(event)))
      empty[thread].push_back({host.startNs[event], host.endNs(event)});
  }
  for (CallIndex index = 0; index < calls.calls().size(); ++index) {
    const Call& call = calls.calls()[index];
    auto& stretches = empty[call.thread];
    const auto after = std::upper_bound(stretches.begin(), stretches.end(), call.startNs,
                                        [](int64_t ns, const TimeInterval& one) { return ns < one.startNs; });
    if (after != stretches.begin() && call.startNs < std::prev(after)->endNs)
      changes.unmade[index] = true;
    else if (call.launches() && launches[call.thread].areRemoved(call.startNs, call.startNs + 1)) {
      changes.unmade[index] = true;
      changes.stretches.push_back({call.thread, call.startNs, call.endNs, Rational::of(0)});
    }
  }
  for (ThreadIndex thread = 0; thread < empty.size(); ++thread)
    for (const TimeInterval& one : empty[thread])
      changes.stretches.push_back({thread, one.startNs, one.endNs, Rational::of(0)});
}

}  // namespace amdahlc::schedule
