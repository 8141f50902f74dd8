#include "replay/schedule/program_changes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "replay/runtimes/device_calls.h"
#include "support/statistics.h"

namespace amdahlc::schedule {

namespace {

/// Of a call that records or waits, where a run has none: 1.5 to 3.5 us in recorded runs.
constexpr int64_t kAssumedCallNs = 1'500;

}  // namespace

std::optional<int64_t> medianLengthNs(const RunCalls& calls, const std::function<bool(const Call&)>& accepts) {
  std::vector<int64_t> lengths;
  for (const Call& call : calls.calls())
    if (accepts(call)) lengths.push_back(call.lengthNs());
  if (lengths.empty()) return std::nullopt;
  return median(lengths);
}

EventSet allSelected(const Timeline& timeline) {
  EventSet events;
  for (EventIndex event = 0; event < timeline.size(); ++event) events.push_back(timeline.isSelected(event));
  return events;
}

void beginMoves(const RunCalls& calls, Changes& changes) {
  const auto lengthOf = [&](DeviceCall meaning) {
    return medianLengthNs(calls, [&](const Call& call) { return call.meaning == meaning; }).value_or(kAssumedCallNs);
  };
  changes.waitCallsNs = lengthOf(DeviceCall::EventRecord) + lengthOf(DeviceCall::StreamWait);
  changes.mayDelay = true;
  if (changes.streams.empty())
    for (EventIndex event = 0; event < calls.timeline().size(); ++event)
      changes.streams.push_back(calls.streamOf(event));
}

StreamIndex newStream(const RunCalls& calls, const Changes& changes) {
  const auto last = std::ranges::max_element(changes.streams);
  const auto measured = static_cast<StreamIndex>(calls.streams());
  return last == changes.streams.end() ? measured : std::max(measured, *last + 1);
}

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
      return static_cast<size_t>(std::ranges::lower_bound(startNs_, ns) - startNs_.begin());
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
    const bool isRemoved = std::ranges::all_of(launched, [&](EventIndex event) { return changes.removed[event]; });
    launches[call.thread].add(call.startNs, isRemoved);
  }

  // The outermost operators and modules without work, and calls outside of them.
  const HostFacts& host = calls.host();
  std::vector<std::vector<TimeInterval>> empty(calls.threads());
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Operator && host.kind[event] != EventKind::ModuleFrame) continue;
    const ThreadIndex thread = calls.threadOf(event);
    if (thread == kNoTrack) continue;
    if (!empty[thread].empty() && host.startNs[event] < empty[thread].back().endNs) continue;
    if (launches[thread].areRemoved(host.startNs[event], host.endNs(event)))
      empty[thread].push_back({host.startNs[event], host.endNs(event)});
  }
  for (CallIndex index = 0; index < calls.calls().size(); ++index) {
    const Call& call = calls.calls()[index];
    auto& stretches = empty[call.thread];
    const auto after = std::ranges::upper_bound(stretches, call.startNs, {}, &TimeInterval::startNs);
    if (after != stretches.begin() && call.startNs < std::prev(after)->endNs)
      changes.unmade[index] = true;
    else if (call.launches && launches[call.thread].areRemoved(call.startNs, call.startNs + 1)) {
      changes.unmade[index] = true;
      changes.stretches.push_back({call.thread, call.startNs, call.endNs, Rational::of(0)});
    }
  }
  for (ThreadIndex thread = 0; thread < empty.size(); ++thread)
    for (const TimeInterval& one : empty[thread])
      changes.stretches.push_back({thread, one.startNs, one.endNs, Rational::of(0)});
}

namespace {

class Capture {
 public:
  Capture(const RunModel& model, const EventSet& events, Changes& changes)
      : calls_(model.calls), model_(model), events_(events), changes_(changes), threads_(model.calls.threads()) {
    changes_.unmade.resize(calls_.calls().size());
    changes_.mayDelay = true;
    launchNs_ = medianLengthNs(calls_, [&](const Call& call) { return isGraphLaunch(calls_.name(call)); });
    const HostFacts& host = calls_.host();
    for (const HostEventId event : host.kind.ids()) {
      const ThreadIndex thread = calls_.threadOf(event);
      if (thread != kNoTrack && host.kind[event] == EventKind::Runtime && calls_.meaningOf(event) == DeviceCall::Memory)
        threads_[thread].allocationsNs.push_back(host.startNs[event]);
    }
  }

  void run() {
    for (CallIndex index = 0; index < calls_.calls().size(); ++index) {
      if (changes_.unmade[index]) continue;
      const Call& call = calls_.calls()[index];
      endBefore(call);
      if (call.launches)
        add(index);
      else if (call.waits())
        end(call.thread);
      else if (threads_[call.thread].first != kNoCall)
        threads_[call.thread].others.push_back(index);
    }
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread) end(thread);
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
                            std::ranges::all_of(events, [&](EventIndex event) { return events_[event]; });
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
};

}  // namespace

void captureGraphs(const RunModel& model, const EventSet& events, Changes& changes) {
  Capture(model, events, changes).run();
}

namespace {

class Mover {
 public:
  Mover(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes)
      : calls_(model.calls), moved_(moved), stream_(stream), changes_(changes) {
    const Timeline& timeline = calls_.timeline();
    beginMoves(calls_, changes_);
    home_ = changes_.streams;
    homes_.resize(newStream(calls_, changes_));
    for (EventIndex event = 0; event < timeline.size(); ++event)
      if (isMoved(event)) changes_.streams[event] = stream;
    places_.assign(timeline.size(), 0);
  }

  void run() {
    for (const Call& call : calls_.calls())
      for (const EventIndex event : calls_.launched(call)) {
        places_[event] = ++place_;
        if (isMoved(event))
          order(event);
        else
          keep(event);
      }
  }

 private:
  /// What a stream has launched so far.
  struct Home {
    EventIndex last = kNoEvent, lastMoved = kNoEvent, lastUnknown = kNoEvent;
    /// The moved event for which the stream waited as a whole.
    EventIndex joined = kNoEvent;
    int32_t iteration = kNoIteration;
  };

  /// An event that was launched before the recording has its measured start.
  bool isMoved(EventIndex event) const {
    return moved_.events[event] && calls_.launchOf(event) != kNoCall && home_[event] != stream_;
  }

  /// Those needs of an event that are moved, or those that are not: of each stream the last, which is over after the
  /// others. The second is whether the event has any needs at all.
  std::pair<std::vector<EventIndex>, bool> needsOf(EventIndex event, bool areMoved) const {
    std::map<StreamIndex, EventIndex> last;
    bool hasAny = false;
    if (const auto needs = moved_.needs.find(event); needs != moved_.needs.end())
      for (const EventIndex need : needs->second) {
        if (places_[need] == 0) continue;
        hasAny = true;
        if (isMoved(need) != areMoved) continue;
        const auto [one, isNew] = last.emplace(changes_.streams[need], need);
        if (!isNew && places_[one->second] < places_[need]) one->second = need;
      }
    std::vector<EventIndex> needs;
    for (const auto& [stream, need] : last) needs.push_back(need);
    return {needs, hasAny};
  }

  /// A moved event waits for what it needs. Without any it is where the stream forks.
  void order(EventIndex event) {
    const StreamIndex stream = home_[event];
    Home& home = homes_[stream];
    auto [needs, hasAny] = needsOf(event, false);
    const EventIndex before = hasAny ? home.lastUnknown : home.last;
    const bool isImplied = std::ranges::any_of(needs, [&](EventIndex need) {
      return home_[need] == stream && before != kNoEvent && places_[before] <= places_[need];
    });
    if (!isImplied) needs.push_back(before);
    for (const EventIndex need : needs) wait(event, need);
    home.lastMoved = event;
  }

  void keep(EventIndex event) {
    Home& home = homes_[home_[event]];
    const int32_t iteration = calls_.timeline().iteration[event];
    if (moved_.unknown[event] || (home.last != kNoEvent && iteration != home.iteration)) {
      if (home.lastMoved != kNoEvent && home.lastMoved != home.joined) wait(event, home.lastMoved);
      home.joined = home.lastMoved;
    } else {
      for (const EventIndex need : needsOf(event, true).first) wait(event, need);
    }
    home.last = event;
    home.iteration = iteration;
    if (moved_.unknown[event]) home.lastUnknown = event;
  }

  void wait(EventIndex event, EventIndex source) {
    if (source == kNoEvent) return;
    std::vector<EventIndex>& sources = changes_.sources[event];
    // Another move may have found the same need.
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  }

  const RunCalls& calls_;
  const MovedEvents& moved_;
  StreamIndex stream_;
  Changes& changes_;
  /// By event: its place in the order of launches, from 1.
  std::vector<size_t> places_;
  size_t place_ = 0;
  /// By event: its stream before the move, which another change may have made another one than the measured.
  std::vector<StreamIndex> home_;
  std::vector<Home> homes_;
};

}  // namespace

void moveEvents(const RunModel& model, const MovedEvents& moved, StreamIndex stream, Changes& changes) {
  Mover(model, moved, stream, changes).run();
}

namespace {

class CopyOverlap {
 public:
  CopyOverlap(const RunModel& model, const EventSet& events, Changes& changes)
      : calls_(model.calls),
        timeline_(model.calls.timeline()),
        copies_(copiesBetweenOtherWork(calls_, events)),
        changes_(changes) {
    beginMoves(calls_, changes_);
    toDevice_ = newStream(calls_, changes_);
    changes_.unawaited.resize(timeline_.size());
    home_.resize(calls_.streams());
  }

  void run() {
    for (const Call& call : calls_.calls())
      for (const EventIndex event : calls_.launched(call)) visit(event);
  }

 private:
  struct Home {
    EventIndex last = kNoEvent;
    /// Copies to the device since then.
    std::vector<EventIndex> arriving;
  };

  CopyDirection directionOf(EventIndex event) const {
    return copies_[event] ? copyDirection(timeline_.text(timeline_.name[event])) : CopyDirection::Other;
  }

  void visit(EventIndex event) {
    Home& home = home_[calls_.streamOf(event)];
    const CopyDirection direction = directionOf(event);
    if (direction == CopyDirection::ToDevice) {
      changes_.streams[event] = toDevice_;
      changes_.unawaited[event] = true;
      return home.arriving.push_back(aheadOf(event));
    }
    if (direction == CopyDirection::FromDevice) {
      changes_.streams[event] = toDevice_ + 1;
      if (home.last != kNoEvent) changes_.sources[event].push_back(home.last);
      return;
    }
    for (const EventIndex copy : home.arriving)
      if (copy != kNoEvent) changes_.sources[event].push_back(copy);
    home.arriving.clear();
    home.last = event;
  }

  /// The copy at the same place in the iteration before: where what is copied now is copied in the changed program.
  EventIndex aheadOf(EventIndex copy) {
    const int32_t iteration = timeline_.iteration[copy];
    if (iteration != iteration_) {
      before_ = std::move(current_);
      if (iteration != iteration_ + 1) before_.clear();
      current_.clear();
      iteration_ = iteration;
    }
    current_.push_back(copy);
    return current_.size() <= before_.size() ? before_[current_.size() - 1] : kNoEvent;
  }

  const RunCalls& calls_;
  const Timeline& timeline_;
  EventSet copies_;
  Changes& changes_;
  StreamIndex toDevice_ = 0;
  std::vector<Home> home_;
  int32_t iteration_ = kNoIteration;
  /// The copies to the device of the iteration, and of the one before it, in the order of their launches.
  std::vector<EventIndex> current_, before_;
};

}  // namespace

EventSet copiesBetweenOtherWork(const RunCalls& calls, const EventSet& events) {
  const Timeline& timeline = calls.timeline();
  std::vector<bool> hasOtherWork(calls.streams());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.kind[event] != EventKind::Copy) hasOtherWork[calls.streamOf(event)] = true;
  EventSet copies(timeline.size());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    copies[event] = events[event] && timeline.kind[event] == EventKind::Copy &&
                    copyDirection(timeline.text(timeline.name[event])) != CopyDirection::Other &&
                    hasOtherWork[calls.streamOf(event)];
  return copies;
}

void overlapCopies(const RunModel& model, const EventSet& events, Changes& changes) {
  CopyOverlap(model, events, changes).run();
}

}  // namespace amdahlc::schedule
