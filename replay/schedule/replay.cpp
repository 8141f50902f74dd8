#include "replay/schedule/replay.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "replay/schedule/program_changes.h"
#include "replay/schedule/scaled_time.h"
#include "replay/timeline/recordings.h"

namespace amdahlc::schedule {
namespace {

/// How long a waiting call takes if there is nothing to wait for, at least.
constexpr int64_t kCallWithoutWaitNs = 1'000;
constexpr int64_t kLongAgo = std::numeric_limits<int64_t>::min() / 4;

std::vector<HostStretch> stretchesOf(const RunModel& model, const Changes& changes) {
  std::vector<HostStretch> stretches = namedStretches(model.calls, changes.named);
  stretches.insert(stretches.end(), changes.stretches.begin(), changes.stretches.end());
  return stretches;
}

class Replayer {
 public:
  Replayer(const RunModel& model, const Changes& changes, const ReplayOptions& options)
      : model_(model),
        calls_(model.calls),
        timeline_(model.calls.timeline()),
        changes_(changes),
        options_(options),
        hostTime_(changes.host, stretchesOf(model, changes)),
        durationsNs_(changes.events.empty() ? timeline_.durationNs
                                            : scaledDurations(timeline_, model.reported, changes.events)),
        threads_(calls_.threads()) {
    streams_.resize(newStream(calls_, changes));
    queues_.resize(calls_.streams());
    run_.startNs.assign(timeline_.size(), 0);
    run_.endNs.assign(timeline_.size(), 0);
    isPlaced_.assign(timeline_.size(), false);
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (calls_.launchOf(event) != kNoCall) continue;
      unlaunched_.push_back(event);
      streams_[calls_.streamOf(event)].unlaunched.push_back(event);
    }
    threadsOfRecordings_.resize(timeline_.recordingCount());
    std::vector<size_t> made(threads_.size(), 0);
    for (const Call& call : calls_.calls())
      if (++made[call.thread] == 1) threadsOfRecordings_[timeline_.recordingAt(call.startNs)].push_back(call.thread);
    // Of each call the beginning and the end.
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread)
      threads_[thread].moments.reserve(1 + 2 * made[thread] + model.handOvers.of(thread).size());
  }

  ReplayedRun run() {
    const auto calls = calls_.calls();
    for (CallIndex index = 0; index < calls.size(); ++index) {
      while (begun_ <= timeline_.recordingAt(calls[index].startNs)) beginRecording(calls[index].startNs);
      make(index);
    }
    while (begun_ < timeline_.recordingCount()) beginRecording(calls.back().startNs);
    placeUnlaunched(std::numeric_limits<int64_t>::max());
    for (ThreadIndex thread = 0; thread < threads_.size(); ++thread)
      resumeBy(thread, std::numeric_limits<int64_t>::max());
    measure();
    for (Thread& thread : threads_) run_.threads.push_back(std::move(thread.moments));
    return std::move(run_);
  }

 private:
  struct Stream {
    /// The latest end so far.
    int64_t freeNs = kLongAgo;
    bool isUsed = false;
    /// The latest end of what runs in another stream than in the measured run: who waited for this stream waits for it.
    int64_t movedNs = kLongAgo;
    /// When the waits of events that were removed are over, and when what they waited for ends.
    int64_t waitsNs = kLongAgo, handedOnNs = kLongAgo;
    /// Events without a launch, in order of start, and how many of them are placed.
    std::vector<EventIndex> unlaunched;
    size_t placed = 0;
  };
  struct Thread {
    std::vector<ThreadMoment> moments;
    size_t handOvers = 0;
  };

  /// All threads of the recording are where they were when its first call begins. So a faster host does not begin
  /// before the events that were launched before the recording. If the recordings before take longer than they did,
  /// this one begins later: it never waits for what they did.
  void beginRecording(int64_t firstCallNs) {
    if (begun_ > 0) {
      const int64_t startNs = timeline_.recordings[begun_].startNs;
      placeUnlaunched(startNs - 1);
      laterNs_ = std::max<int64_t>(0, freeNs_ + kBetweenRecordingsNs - startNs);
      for (Stream& stream : streams_) stream.isUsed = false;
    }
    for (const ThreadIndex thread : threadsOfRecordings_[begun_])
      threads_[thread].moments.push_back({firstCallNs, firstCallNs + laterNs_});
    ++begun_;
  }

  /// When a thread is where it was at a measured time.
  int64_t replayed(ThreadIndex thread, int64_t measuredNs) const {
    const auto& moments = threads_[thread].moments;
    // Calls are made in measured order, so that nearly all ask for what follows the last moment.
    if (const ThreadMoment& last = moments.back(); last.measuredNs <= measuredNs)
      return last.replayedNs + hostTime_.between(thread, last.measuredNs, measuredNs);
    const auto after = std::ranges::upper_bound(moments, measuredNs, {}, &ThreadMoment::measuredNs);
    if (after == moments.begin())
      return moments.front().replayedNs - hostTime_.between(thread, measuredNs, moments.front().measuredNs);
    const ThreadMoment& moment = *std::prev(after);
    return moment.replayedNs + hostTime_.between(thread, moment.measuredNs, measuredNs);
  }

  void remember(ThreadIndex thread, int64_t measuredNs, int64_t replayedNs) {
    auto& moments = threads_[thread].moments;
    if (moments.back().measuredNs == measuredNs) moments.back().replayedNs = replayedNs;
    if (moments.back().measuredNs < measuredNs) moments.push_back({measuredNs, replayedNs});
  }

  /// Hand-overs to a thread up to a measured time.
  void resumeBy(ThreadIndex thread, int64_t measuredNs) {
    const auto handOvers = model_.handOvers.of(thread);
    for (size_t& next = threads_[thread].handOvers; next < handOvers.size(); ++next) {
      const HandOver& one = handOvers[next];
      if (one.resumesNs > measuredNs) return;
      remember(thread, one.resumesNs,
               replayed(one.from, one.restsNs) + hostTime_.between(thread, one.restsNs, one.resumesNs));
    }
  }

  /// Places the events without a launch that start by a measured time.
  void placeUnlaunched(int64_t byNs) {
    for (; nextUnlaunched_ < unlaunched_.size(); ++nextUnlaunched_) {
      const EventIndex event = unlaunched_[nextUnlaunched_];
      if (timeline_.startNs[event] > byNs) return;
      placeUnlaunchedOf(calls_.streamOf(event), timeline_.startNs[event]);
    }
  }

  bool hasUnlaunched(const Stream& stream, int64_t byNs) const {
    return stream.placed < stream.unlaunched.size() && timeline_.startNs[stream.unlaunched[stream.placed]] <= byNs;
  }

  /// The same of one stream, and of others as far as these events wait for them.
  void placeUnlaunchedOf(StreamIndex of, int64_t byNs) {
    if (!hasUnlaunched(streams_[of], byNs)) return;
    std::vector<std::pair<StreamIndex, int64_t>> wanted{{of, byNs}};
    while (!wanted.empty()) {
      const auto [index, untilNs] = wanted.back();
      Stream& stream = streams_[index];
      if (!hasUnlaunched(stream, untilNs)) {
        wanted.pop_back();
        continue;
      }
      const EventIndex event = stream.unlaunched[stream.placed];
      const auto sources = model_.waits.sources(event);
      // A source has ended when the event starts, so that this cannot go round in circles.
      const auto open = std::ranges::find_if(sources, [&](EventIndex source) {
        return !isPlaced_[source] && calls_.launchOf(source) == kNoCall && calls_.streamOf(source) != index;
      });
      if (open != sources.end()) {
        wanted.emplace_back(calls_.streamOf(*open), timeline_.startNs[*open]);
        continue;
      }
      ++stream.placed;
      place(event, kLongAgo);
    }
  }

  StreamIndex streamOf(EventIndex event) const {
    return changes_.streams.empty() ? calls_.streamOf(event) : changes_.streams[event];
  }

  /// When the events end that an event waits for, besides those before it in its stream.
  int64_t sourcesEndNs(EventIndex event) const {
    int64_t endNs = kLongAgo;
    const auto add = [&](EventIndex source) {
      if (isPlaced_[source]) endNs = std::max(endNs, run_.endNs[source]);
    };
    for (const EventIndex source : model_.waits.sources(event)) add(source);
    if (const auto more = changes_.sources.find(event); more != changes_.sources.end())
      for (const EventIndex source : more->second) add(source);
    return endNs;
  }

  /// The same with the time until an event of another stream starts. What a removed event hands on may be nothing.
  int64_t sourcesOverNs(EventIndex event) const {
    const int64_t endNs = sourcesEndNs(event);
    return endNs == kLongAgo ? kLongAgo : endNs + model_.constants.eventToEventNs();
  }

  /// What waited for an event that does not run waits for what that waited for.
  void placeRemoved(EventIndex event) {
    Stream& stream = streams_[streamOf(event)];
    stream.waitsNs = std::max(stream.waitsNs, sourcesOverNs(event));
    stream.handedOnNs = std::max(stream.handedOnNs, sourcesEndNs(event));
    run_.startNs[event] = run_.endNs[event] = std::max(stream.freeNs, stream.handedOnNs);
    isPlaced_[event] = true;
  }

  /// Starts an event at `readyNs` or later.
  void place(EventIndex event, int64_t readyNs) {
    if (isPlaced_[event]) return;
    if (changes_.isRemoved(event)) return placeRemoved(event);
    Stream& stream = streams_[streamOf(event)];
    const Release& release = model_.releases[event];
    // The first nanosecond of an event without any cause is its measured one.
    int64_t startNs = std::max({readyNs, sourcesOverNs(event), stream.waitsNs});
    const CallIndex launch = calls_.launchOf(event);
    const bool isCaptured = launch != kNoCall && changes_.isUnmade(launch);
    if (stream.isUsed) startNs = std::max(startNs, stream.freeNs + model_.constants.turnAroundNs(event, isCaptured));
    if (release.isCarriedIn || startNs == kLongAgo) startNs = std::max(startNs, timeline_.startNs[event] + laterNs_);
    if (options_.keepsUnexplainedWaits) startNs += release.unexplainedNs;
    run_.startNs[event] = startNs;
    run_.endNs[event] = startNs + durationsNs_[event];
    isPlaced_[event] = true;
    stream.freeNs = std::max(stream.freeNs, run_.endNs[event]);
    stream.isUsed = true;
    if (Stream& home = streams_[calls_.streamOf(event)]; &home != &stream && !changes_.isUnawaited(event))
      home.movedNs = std::max(home.movedNs, run_.endNs[event]);
    freeNs_ = std::max(freeNs_, run_.endNs[event]);
  }

  void placeLaunched(EventIndex event, int64_t readyNs) {
    placeUnlaunchedOf(calls_.streamOf(event), timeline_.startNs[event]);
    place(event, readyNs);
  }

  /// The time of the calls for waits that the measured run does not have, before a launch.
  int64_t newWaitsNs(CallIndex index) const {
    if (changes_.waitCallsNs == 0 || changes_.isUnmade(index)) return 0;
    int64_t waits = 0;
    for (const EventIndex event : calls_.launched(calls_.calls()[index]))
      if (const auto sources = changes_.sources.find(event); sources != changes_.sources.end())
        waits += static_cast<int64_t>(sources->second.size());
    return scaled(waits * changes_.waitCallsNs, changes_.host);
  }

  int64_t lengthOf(const Call& call) const {
    const auto other = changes_.lengthsNs.find(calls_.indexOf(call));
    const int64_t lengthNs = other == changes_.lengthsNs.end()
                                 ? hostTime_.between(call.thread, call.startNs, call.endNs)
                                 : scaled(other->second, changes_.host);
    return call.launches ? scaled(lengthNs, changes_.launches) : lengthNs;
  }

  /// The time from the release of a waiting call to its end.
  int64_t returnOf(const Call& call, const CallWait& wait) const {
    if (wait.returnNs <= 0) return wait.returnNs;
    return hostTime_.between(call.thread, call.endNs - wait.returnNs, call.endNs);
  }

  void make(CallIndex index) {
    const Call& call = calls_.calls()[index];
    resumeBy(call.thread, call.startNs);
    const int64_t beginNs = replayed(call.thread, call.startNs) + newWaitsNs(index);
    remember(call.thread, call.startNs, beginNs);
    const int64_t endNs = changes_.isUnmade(index) ? pass(call, beginNs)
                          : call.launches          ? launch(index, beginNs)
                                                   : await(index, beginNs);
    if (call.endNs > call.startNs || endNs > beginNs) finish(call, beginNs, endNs);
  }

  void finish(const Call& call, int64_t beginNs, int64_t endNs) {
    if (call.endNs > call.startNs) return remember(call.thread, call.endNs, std::max(beginNs, endNs));
    threads_[call.thread].moments.back().replayedNs = std::max(beginNs, endNs);
  }

  /// A call that is not made: what it launched is ready with the launch before it. Returns `beginNs`.
  int64_t pass(const Call& call, int64_t beginNs) {
    for (const EventIndex event : calls_.launched(call))
      placeLaunched(event, beginNs + (model_.waits.startsInsideLaunch(event) ? 0 : latencyNs(call)));
    return beginNs;
  }

  int64_t latencyNs(const Call& launch) const { return model_.constants.latencyNs(calls_.launched(launch).front()); }

  /// Returns when the call ends.
  int64_t launch(CallIndex index, int64_t beginNs) {
    const Call& call = calls_.calls()[index];
    const CallWait& wait = model_.waits.of(index);
    const auto events = calls_.launched(call);
    const EventIndex first = events.front();
    const StreamIndex stream = calls_.streamOf(first);
    int64_t endNs = beginNs + lengthOf(call);
    if (wait.kind == CallWait::Kind::Queue && wait.waited && !changes_.lengthsNs.contains(index))
      endNs = beginNs + scaled(scaled(model_.waits.medianLengthNs(index), changes_.host), changes_.launches);
    if (const auto limit = model_.waits.queueLength()) {
      std::vector<EventIndex>& queue = queues_[stream];
      if (queue.size() >= *limit) endNs = std::max(endNs, run_.startNs[queue[queue.size() - *limit]]);
      for (const EventIndex event : events)
        if (!changes_.isRemoved(event)) queue.push_back(event);
    }
    const bool startsInside = model_.waits.startsInsideLaunch(first);
    const int64_t readyNs = startsInside ? beginNs + latencyNs(call) : std::max(endNs + latencyNs(call), beginNs);
    placeLaunched(first, readyNs);
    if (startsInside && changes_.isUnawaited(first))
      endNs = std::min(endNs, readyNs);
    else if (model_.waits.isBlockingCopy(first) && wait.waited)
      endNs =
          std::max(run_.endNs[first] + returnOf(call, wait), beginNs + std::min(lengthOf(call), kCallWithoutWaitNs));
    // A first node that is removed says nothing about the others.
    const int64_t nodesNs = changes_.isRemoved(first) ? readyNs : run_.startNs[first];
    for (const EventIndex node : events.subspan(1)) placeLaunched(node, nodesNs);
    return endNs;
  }

  /// Returns when a call ends that may wait.
  int64_t await(CallIndex index, int64_t beginNs) {
    const Call& call = calls_.calls()[index];
    const CallWait& wait = model_.waits.of(index);
    const int64_t lengthNs = lengthOf(call);
    if (wait.kind == CallWait::Kind::None || wait.event == kNoEvent) return beginNs + lengthNs;
    placeUnlaunched(call.endNs);
    int64_t releaseNs = kLongAgo;
    if (wait.kind == CallWait::Kind::Device)
      releaseNs = freeNs_;
    else if (wait.kind == CallWait::Kind::Stream)
      releaseNs = std::max(streams_[wait.stream].freeNs, streams_[wait.stream].movedNs);
    else if (isPlaced_[wait.event])
      releaseNs = std::max(run_.endNs[wait.event], streams_[calls_.streamOf(wait.event)].movedNs);
    if (!wait.waited) return std::max(beginNs + lengthNs, releaseNs);
    const int64_t ownNs = std::max(kCallWithoutWaitNs, scaled(call.ownNs, changes_.host));
    return std::max(beginNs + std::min(lengthNs, ownNs), releaseNs + returnOf(call, wait));
  }

  void measure() {
    const std::vector<Iteration>& iterations = timeline_.iterations;
    std::vector<std::optional<TimeInterval>> extents(iterations.size());
    std::optional<TimeInterval> all;
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (changes_.isRemoved(event)) continue;
      extend(all, run_.interval(event));
      if (timeline_.iteration[event] != kNoIteration)
        extend(extents[static_cast<size_t>(timeline_.iteration[event])], run_.interval(event));
    }
    if (all) run_.wallNs = all->lengthNs();
    for (size_t i = 0; i < iterations.size(); ++i) {
      ReplayedIteration& replayedOne = run_.iterations.emplace_back();
      replayedOne.extent = extents[i].value_or(TimeInterval{});
      const ThreadIndex thread = model_.threadsOfIterations[i];
      if (thread == kNoTrack) continue;
      const int64_t endNs = model_.endsOfIterations[i];
      replayedOne.windowNs =
          replayed(thread, endNs) - (endNs - *iterations[i].endNs) - replayed(thread, *iterations[i].startNs);
    }
  }

  const RunModel& model_;
  const RunCalls& calls_;
  const Timeline& timeline_;
  const Changes& changes_;
  const ReplayOptions options_;
  HostTime hostTime_;
  std::vector<int64_t> durationsNs_;
  ReplayedRun run_;
  /// In bytes, because each is looked at and set many times.
  std::vector<uint8_t> isPlaced_;
  std::vector<Stream> streams_;
  std::vector<Thread> threads_;
  /// By stream, what was launched in it, if the number of launched events is limited.
  std::vector<std::vector<EventIndex>> queues_;
  std::vector<EventIndex> unlaunched_;
  size_t nextUnlaunched_ = 0;
  /// The latest end of all events so far.
  int64_t freeNs_ = kLongAgo;
  /// By recording, those that make its calls.
  std::vector<std::vector<ThreadIndex>> threadsOfRecordings_;
  /// How many recordings have begun, and how much later than in the measured run the last of them did.
  size_t begun_ = 0;
  int64_t laterNs_ = 0;
};

}  // namespace

ReplayedTimes replayedTimes(const RunModel& model, const ReplayedRun& run) {
  ReplayedTimes times;
  std::vector<TimeInterval> active, extents;
  times.windowNs = 0;
  for (size_t i = 0; i < run.iterations.size(); ++i) {
    if (!model.reported.has(static_cast<int32_t>(i))) continue;
    const ReplayedIteration& one = run.iterations[i];
    for (const EventIndex event : model.eventsOfIterations[i]) active.push_back(run.interval(event));
    extents.push_back(one.extent);
    if (times.windowNs && one.windowNs)
      *times.windowNs += *one.windowNs;
    else
      times.windowNs.reset();
  }
  times.busyNs = unionLength(std::move(active));
  times.extentNs = unionLength(std::move(extents));
  return times;
}

ReplayedRun replay(const RunModel& model, const Changes& changes, const ReplayOptions& options) {
  return Replayer(model, changes, options).run();
}

}  // namespace amdahlc::schedule
