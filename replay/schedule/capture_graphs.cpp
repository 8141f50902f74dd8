#include <algorithm>
#include <optional>

#include "replay/runtimes/device_calls.h"
#include "replay/schedule/program_changes.h"

namespace amdahlc::schedule {
namespace {

class Capture {
 public:
  Capture(const RunModel& model, const EventSet& events, Changes& changes)
      : calls_(model.calls), model_(model), events_(events), changes_(changes), threads_(model.calls.threads()) {
    changes_.unmade.resize(calls_.calls().size());
    changes_.mayDelay = true;
    launchNs_ = medianLengthNs(calls_, [&](const Call& call) { return isGraphLaunch(calls_.name(call)); });
    graphs_.isLaunchMeasured = launchNs_.has_value();
    const HostFacts& host = calls_.host();
    for (const HostEventId event : host.kind.ids()) {
      const ThreadIndex thread = calls_.threadOfTrack(host.track[event]);
      if (thread != kNoTrack && host.kind[event] == EventKind::Runtime && calls_.meaningOf(event) == DeviceCall::Memory)
        threads_[thread].allocationsNs.push_back(host.startNs[event]);
    }
  }

  CapturedGraphs run() {
    for (CallIndex index = 0; index < calls_.calls().size(); ++index) {
      if (changes_.unmade[index]) continue;
      const Call& call = calls_.calls()[index];
      endBefore(call);
      if (call.launches())
        add(index);
      else if (isSynchronization(call.meaning))
        end(call.thread);
      else if (threads_[call.thread].first != kNoCall)
        threads_[call.thread].others.push_back(index);
    }
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) end(thread);
    return graphs_;
  }

 private:
  /// What a thread has launched since it last waited.
  struct Thread {
    CallIndex first = kNoCall, last = kNoCall;
    /// Calls from there to the last one, and after that.
    std::vector<CallIndex> captured, others;
    int32_t iteration = kNoIteration;
    size_t handOvers = 0;
    /// When it allocates or frees memory, which cannot be a part of a graph, and how often it has.
    std::vector<int64_t> allocationsNs;
    size_t allocations = 0;
  };

  /// A thread that paused until another one was done waited for it.
  void endBefore(const Call& call) {
    Thread& thread = threads_[call.thread];
    const auto handOvers = model_.handOvers.of(call.thread);
    for (size_t& next = thread.handOvers; next < handOvers.size() && handOvers[next].resumesNs <= call.startNs; ++next)
      end(call.thread);
    const std::vector<int64_t>& allocationsNs = thread.allocationsNs;
    for (size_t& next = thread.allocations; next < allocationsNs.size() && allocationsNs[next] <= call.startNs; ++next)
      end(call.thread);
  }

  void add(CallIndex index) {
    const Call& call = calls_.calls()[index];
    const auto events = calls_.launched(call);
    const EventIndex first = events.front();
    const bool isCaptured = !model_.waits.isBlockingCopy(first) &&
                            std::all_of(events.begin(), events.end(), [&](EventIndex event) { return events_[event]; });
    if (!isCaptured) return end(call.thread);
    Thread& thread = threads_[call.thread];
    const int32_t iteration = calls_.timeline().iteration[first];
    if (iteration != thread.iteration) end(call.thread);
    thread.iteration = iteration;
    if (thread.first == kNoCall) {
      thread.first = index;
    } else {
      thread.captured.insert(thread.captured.end(), thread.others.begin(), thread.others.end());
      thread.captured.push_back(index);
    }
    thread.last = index;
    thread.others.clear();
  }

  void end(ThreadIndex index) {
    Thread& thread = threads_[index];
    if (thread.first != thread.last) {
      ++graphs_.graphs;
      if (launchNs_) changes_.lengthsNs[thread.first] = *launchNs_;
      for (const CallIndex call : thread.captured) changes_.unmade[call] = true;
      changes_.stretches.push_back(
          {index, calls_.calls()[thread.first].endNs, calls_.calls()[thread.last].endNs, Rational::of(0)});
    }
    thread.first = thread.last = kNoCall;
    thread.captured.clear();
    thread.others.clear();
  }

  const RunCalls& calls_;
  const RunModel& model_;
  const EventSet& events_;
  Changes& changes_;
  std::vector<Thread> threads_;
  std::optional<int64_t> launchNs_;
  CapturedGraphs graphs_;
};

}  // namespace

CapturedGraphs captureGraphs(const RunModel& model, const EventSet& events, Changes& changes) {
  return Capture(model, events, changes).run();
}

}  // namespace amdahlc::schedule
