#include "replay/schedule/hand_overs.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "replay/timeline/recordings.h"
#include "support/compact.h"

namespace amdahlc::schedule {
namespace {

/// Threads that compute side by side have shorter gaps; to wake a thread takes 5 to 50 us.
constexpr int64_t kPauseNs = 20'000;

/// When each thread with calls runs operators or calls of the device's runtime.
std::vector<std::vector<TimeInterval>> activityOf(const RunCalls& calls) {
  const HostFacts& host = calls.host();
  std::vector<std::vector<TimeInterval>> activity(calls.threads());
  std::vector<bool> orders(calls.threads(), false);
  for (const Call& call : calls.calls())
    if (call.launches || call.meaning != DeviceCall::EventRecord) orders[call.thread] = true;
  for (const HostEventId event : host.kind.ids()) {
    const bool isCall = host.kind[event] == EventKind::Runtime;
    if (!isCall && host.kind[event] != EventKind::Operator) continue;
    const ThreadIndex thread = calls.threadOf(event);
    if (thread == kNoTrack || !orders[thread]) continue;
    TimeInterval interval = host.interval(event);
    if (isCall && calls.meaningOf(event) == DeviceCall::Query) {
      const CallIndex run = calls.callOf(event);
      if (run == kNoCall) continue;
      interval.endNs = calls.calls()[run].endNs;
    }
    addToUnion(activity[thread], interval);  // host events are in order of start
  }
  return activity;
}

}  // namespace

HandOvers::HandOvers(const RunCalls& calls) : ofThread_(calls.threads()) {
  const auto activity = activityOf(calls);
  // Starts and ends of all threads in order of time, ends first: what ends when another one starts rests by then.
  struct Change {
    int64_t ns;
    bool begins;
    ThreadIndex thread;
    uint32_t interval;
  };
  std::vector<Change> changes;
  size_t intervals = 0;
  for (const std::vector<TimeInterval>& ofThread : activity) intervals += ofThread.size();
  changes.reserve(2 * intervals);
  for (ThreadIndex thread = 0; thread < activity.size(); ++thread)
    for (uint32_t i = 0; i < activity[thread].size(); ++i) {
      changes.push_back({activity[thread][i].startNs, true, thread, i});
      changes.push_back({activity[thread][i].endNs, false, thread, i});
    }
  const auto isBefore = [](const Change& a, const Change& b) {
    return std::tuple(a.ns, a.begins, a.thread, a.interval) < std::tuple(b.ns, b.begins, b.thread, b.interval);
  };
  // Those of one thread are.
  if (!std::ranges::is_sorted(changes, isBefore)) compactSort(changes, isBefore);
  // Threads at rest, by the end of their last activity.
  std::set<std::pair<int64_t, ThreadIndex>> resting;
  RecordingWalk recordings(calls.timeline());
  for (const Change& change : changes) {
    if (recordings.enters(change.ns)) resting.clear();
    const std::vector<TimeInterval>& own = activity[change.thread];
    if (!change.begins) {
      // An interval without a length has not begun yet.
      if (own[change.interval].startNs < change.ns) resting.emplace(change.ns, change.thread);
      continue;
    }
    const int64_t pausedNs =
        change.interval == 0 ? std::numeric_limits<int64_t>::min() : own[change.interval - 1].endNs;
    if (change.interval > 0) resting.erase({pausedNs, change.thread});
    if (change.interval == 0 || change.ns - pausedNs >= kPauseNs)
      if (!resting.empty() && resting.rbegin()->first > pausedNs)
        ofThread_[change.thread].push_back({change.ns, resting.rbegin()->second, resting.rbegin()->first});
    if (own[change.interval].endNs == change.ns) resting.emplace(change.ns, change.thread);
  }
}

}  // namespace amdahlc::schedule
