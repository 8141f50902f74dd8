#include "replay/schedule/waits.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "replay/schedule/implicit_waits.h"
#include "replay/timeline/recordings.h"
#include "support/limits.h"
#include "support/statistics.h"

namespace amdahlc::schedule {
namespace {

/// An event that starts up to so much before another one ended may have waited for it.
constexpr int64_t kToleranceNs = 1'000;
/// A launch that takes so many times the median of its name may have been held.
constexpr int64_t kHeldFactor = 3;
/// CUDA holds 1021 to 1024 launches of a stream. A count in this range shows the limit of the driver that recorded.
constexpr uint32_t kLeastQueue = 900, kLargestQueue = 1024, kUsualQueue = 1021;
/// An event whose launch is not in the trace, and that starts so long after the one before it in its stream, waited for
/// another stream; and such a wait is over so soon after the end of what it was for.
constexpr int64_t kGapOfUnlaunchedNs = 20'000;
/// A node of a graph that joins streams starts so soon after the end of what it waited for.
constexpr int64_t kLongestJoinNs = 5'000;

/// Of pairs in ascending order the second of the last one whose first is at most `limit`.
EventIndex lastUpTo(const std::vector<std::pair<int64_t, EventIndex>>& pairs, int64_t limit) {
  const auto after = std::ranges::upper_bound(pairs, limit, {}, [](const auto& pair) { return pair.first; });
  return after == pairs.begin() ? kNoEvent : std::prev(after)->second;
}

/// A walk over the calls of a run. Events without a launch in the trace were launched before it began: they count by
/// their starts, in front of all others of their stream. Nothing of an earlier recording counts.
class LaunchOrder {
 public:
  explicit LaunchOrder(const RunCalls& calls)
      : calls_(calls), recordings_(calls.timeline()), streams_(calls.streams()) {
    const Timeline& timeline = calls.timeline();
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      if (calls.launchOf(event) != kNoCall) continue;
      Stream& stream = streams_[calls.streamOf(event)];
      const auto add = [&](Unlaunched& events) {
        const EventIndex last = events.empty() ? kNoEvent : events.back().second;
        events.emplace_back(timeline.startNs[event], laterEnd(last, event));
      };
      add(stream.unlaunched);
      add(unlaunched_);
      addEnd(stream.unlaunchedEnded, event);
    }
  }

  /// All calls before this one have been made.
  void advanceTo(CallIndex call) {
    for (; next_ < call; ++next_)
      for (const EventIndex event : calls_.launched(calls_.calls()[next_])) {
        Stream& stream = streams_[calls_.streamOf(event)];
        stream.launched.emplace_back(next_, event);
        addEnd(stream.ended, event);
        stream.lastToEnd = laterEnd(stream.lastToEnd, event);
        lastToEnd_ = laterEnd(lastToEnd_, event);
      }
    if (const int64_t startNs = calls_.calls()[call].startNs; recordings_.enters(startNs)) beginRecording(startNs);
  }
  /// Of all events that have been launched, the one that ends last; kNoEvent if there is none, as for the next. Of
  /// those without a launch only those that start by `byNs` count.
  EventIndex lastToEnd(int64_t byNs) const { return laterEnd(lastToEnd_, unlaunchedUpTo(unlaunched_, byNs)); }
  EventIndex lastToEnd(StreamIndex stream, int64_t byNs) const {
    return laterEnd(streams_[stream].lastToEnd, unlaunchedUpTo(streams_[stream].unlaunched, byNs));
  }
  /// The event of the stream that was launched last and had ended by `byNs`.
  EventIndex lastEndedBy(StreamIndex stream, int64_t byNs) const {
    const EventIndex launched = lastUpTo(streams_[stream].ended, byNs);
    return launched != kNoEvent ? launched : unlaunchedUpTo(streams_[stream].unlaunchedEnded, byNs);
  }
  /// The event of the stream that was launched last before `call`; of those without a launch, the last that had ended
  /// by `byNs`.
  EventIndex lastBefore(StreamIndex stream, CallIndex call, int64_t byNs) const {
    const auto& launched = streams_[stream].launched;
    const auto after = std::lower_bound(launched.begin(), launched.end(), call,
                                        [](const auto& pair, CallIndex limit) { return pair.first < limit; });
    return after != launched.begin() ? std::prev(after)->second
                                     : unlaunchedUpTo(streams_[stream].unlaunchedEnded, byNs);
  }
  /// The event of the stream that was launched `places` before the next one; of those with a launch.
  EventIndex launchedAhead(StreamIndex stream, uint32_t places) const {
    const auto& launched = streams_[stream].launched;
    return launched.size() < places ? kNoEvent : launched[launched.size() - places].second;
  }

 private:
  /// In order of start, each with the event that ends last of it and those before.
  using Unlaunched = std::vector<std::pair<int64_t, EventIndex>>;
  struct Stream {
    /// In the order of their calls.
    std::vector<std::pair<CallIndex, EventIndex>> launched;
    /// Ends in ascending order, each of the event launched last of those that ended by then.
    std::vector<std::pair<int64_t, EventIndex>> ended;
    /// The same of events without a launch.
    std::vector<std::pair<int64_t, EventIndex>> unlaunchedEnded;
    Unlaunched unlaunched;
    EventIndex lastToEnd = kNoEvent;
  };
  void beginRecording(int64_t callNs) {
    const Timeline& timeline = calls_.timeline();
    beginNs_ = timeline.recordings[timeline.recordingAt(callNs)].startNs;
    for (Stream& stream : streams_) {
      stream.launched.clear();
      stream.ended.clear();
      stream.lastToEnd = kNoEvent;
    }
    lastToEnd_ = kNoEvent;
  }
  /// Of the recording, as `lastUpTo`.
  EventIndex unlaunchedUpTo(const Unlaunched& events, int64_t limit) const {
    const EventIndex event = lastUpTo(events, limit);
    return event != kNoEvent && calls_.timeline().startNs[event] < beginNs_ ? kNoEvent : event;
  }
  EventIndex laterEnd(EventIndex a, EventIndex b) const {
    if (a == kNoEvent || b == kNoEvent) return a == kNoEvent ? b : a;
    return calls_.timeline().endNs(b) >= calls_.timeline().endNs(a) ? b : a;
  }
  void addEnd(std::vector<std::pair<int64_t, EventIndex>>& ended, EventIndex event) const {
    // An earlier launch that ends no earlier is never the last that had ended.
    const int64_t endNs = calls_.timeline().endNs(event);
    while (!ended.empty() && ended.back().first >= endNs) ended.pop_back();
    ended.emplace_back(endNs, event);
  }

  const RunCalls& calls_;
  RecordingWalk recordings_;
  int64_t beginNs_ = std::numeric_limits<int64_t>::min();
  CallIndex next_ = 0;
  std::vector<Stream> streams_;
  Unlaunched unlaunched_;
  EventIndex lastToEnd_ = kNoEvent;
};

/// The streams in the order of their last launches.
class RecentStreams {
 public:
  explicit RecentStreams(size_t count) {
    places_.reserve(count);
    for (StreamIndex stream = 0; stream < count; ++stream) places_.push_back(order_.insert(order_.end(), stream));
  }

  void add(StreamIndex stream) { order_.splice(order_.begin(), order_, places_[stream]); }

  /// Visits those that launched last, in ascending order. All streams at each wait would be quadratic.
  template <typename Visit>
  void forEach(Visit visit) const {
    std::vector<StreamIndex> streams;
    for (const StreamIndex stream : order_) {
      if (streams.size() == limits::kStreamsOfWait) break;
      streams.push_back(stream);
    }
    compactSort(streams);
    for (const StreamIndex stream : streams) visit(stream);
  }

 private:
  std::list<StreamIndex> order_;
  std::vector<std::list<StreamIndex>::iterator> places_;
};

}  // namespace

Waits::Waits(const RunCalls& calls) : calls_(calls) {
  ofCall_.resize(calls.calls().size());
  const HostFacts& host = calls.host();
  for (const HostEventId event : host.kind.ids())
    if (const WaitFacts* facts = host.waitFactsOf(event); facts != nullptr && host.correlation[event] >= 0)
      stated_.emplace(host.correlation[event], facts);
  findStartsInsideLaunches();
  findMedianLengths();
  findQueueLength();
  Sources sources;
  findStreamWaits(sources);
  findWaitsOfGraphs(sources);
  findReleasesOfUnlaunched(sources);
  sources_ = CompressedRows<EventIndex, EventIndex>(calls.timeline().size(), sources);
  findCallWaits();
  std::vector<std::pair<ThreadIndex, CallIndex>> waited;
  for (CallIndex call = 0; call < ofCall_.size(); ++call)
    if (ofCall_[call].waited) waited.emplace_back(calls.calls()[call].thread, call);
  waited_ = CompressedRows<ThreadIndex, CallIndex>(calls.threads(), waited);
}

const WaitFacts* Waits::statedOf(const Call& call) const {
  const auto found = stated_.find(calls_.host().correlation[call.event]);
  return found == stated_.end() ? nullptr : found->second;
}

void Waits::findStartsInsideLaunches() {
  const Timeline& timeline = calls_.timeline();
  isBlockingCopy_.assign(timeline.size(), false);
  startsInside_.assign(timeline.size(), false);
  for (const Call& call : calls_.calls()) {
    if (!call.launches) continue;
    const EventIndex first = calls_.launched(call).front();
    startsInside_[first] = timeline.startNs[first] + kClockSkewNs < call.endNs;
    if (calls_.launched(call).size() != 1) continue;
    const EventIndex copy = calls_.launched(call).front();
    if (timeline.kind[copy] != EventKind::Copy || timeline.startNs[copy] >= call.endNs) continue;
    isBlockingCopy_[copy] = call.endNs >= timeline.endNs(copy) || isPageableCopy(timeline.text(timeline.name[copy])) ||
                            amdahlc::isBlockingCopy(calls_.name(call));
    if (isBlockingCopy_[copy]) startsInside_[copy] = true;
  }
}

void Waits::findMedianLengths() {
  std::map<uint32_t, std::vector<int64_t>> byName;
  const auto symbolOf = [&](const Call& call) { return calls_.symbol(call).index; };
  for (const Call& call : calls_.calls())
    if (call.launches) byName[symbolOf(call)].push_back(call.lengthNs());
  std::map<uint32_t, int64_t> medians = mediansOf(byName);
  for (const Call& call : calls_.calls()) medianLengthNs_.push_back(call.launches ? medians[symbolOf(call)] : 0);
}

/// The largest number of events that were launched and had not started when another launch began, if it looks like a
/// limit.
void Waits::findQueueLength() {
  const Timeline& timeline = calls_.timeline();
  bool isAmd = false;
  std::vector<std::vector<int64_t>> starts(calls_.streams());
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (calls_.launchOf(event) != kNoCall) starts[calls_.streamOf(event)].push_back(timeline.startNs[event]);
  std::vector<uint32_t> launched(calls_.streams(), 0), started(calls_.streams(), 0);
  uint32_t longest = 0;
  for (const Call& call : calls_.calls()) {
    isAmd |= isOfHip(calls_.name(call));
    for (const EventIndex event : calls_.launched(call)) {
      const StreamIndex stream = calls_.streamOf(event);
      uint32_t& done = started[stream];
      while (done < starts[stream].size() && starts[stream][done] <= call.startNs) ++done;
      if (launched[stream] > done) longest = std::max(longest, launched[stream] - done);
      ++launched[stream];
    }
  }
  if (longest >= kLeastQueue && longest <= kLargestQueue)
    queueLength_ = longest;
  else if (!isAmd)
    queueLength_ = kUsualQueue;
}

void Waits::findStreamWaits(Sources& sources) const {
  const Timeline& timeline = calls_.timeline();
  const auto calls = calls_.calls();
  // Which event each wait concerns, from the last call to the first: the next one that its thread launches on the
  // waiting stream.
  std::vector<EventIndex> waiting(calls.size(), kNoEvent);
  std::map<std::pair<ThreadIndex, StreamIndex>, EventIndex> nextOnStream;
  std::vector<EventIndex> next(calls_.threads(), kNoEvent);
  for (size_t index = calls.size(); index-- > 0;) {
    const Call& call = calls[index];
    const auto launched = calls_.launched(call);
    for (size_t i = launched.size(); i-- > 0;) nextOnStream[{call.thread, calls_.streamOf(launched[i])}] = launched[i];
    if (!launched.empty()) next[call.thread] = launched.front();
    if (call.meaning != DeviceCall::StreamWait || call.launches) continue;
    const WaitFacts* facts = statedOf(call);
    if (facts == nullptr) {
      waiting[index] = next[call.thread];
    } else if (const auto found = nextOnStream.find({call.thread, calls_.findStream(facts->stream)});
               found != nextOnStream.end()) {
      waiting[index] = found->second;
    }
  }
  CompactMap<int64_t, CallIndex> records;
  for (CallIndex index = 0; index < calls.size(); ++index)
    if (calls[index].meaning == DeviceCall::EventRecord && calls_.host().correlation[calls[index].event] >= 0)
      records[calls_.host().correlation[calls[index].event]] = index;

  LaunchOrder order(calls_);
  RecentStreams recent(calls_.streams());
  for (CallIndex index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    order.advanceTo(index);
    for (const EventIndex launched : calls_.launched(call)) recent.add(calls_.streamOf(launched));
    const EventIndex event = waiting[index];
    if (event == kNoEvent) continue;
    const StreamIndex own = calls_.streamOf(event);
    const auto add = [&](EventIndex source) {
      if (source != kNoEvent && source != event) sources.emplace_back(event, source);
    };
    const int64_t byNs = timeline.startNs[event] + kToleranceNs;
    const WaitFacts* facts = statedOf(call);
    if (facts != nullptr && facts->sourceStream >= 0) {
      const StreamIndex stream = calls_.findStream(facts->sourceStream);
      if (stream == kNoTrack || stream == own) continue;
      const auto record = records.find(facts->recordCorrelation);
      add(order.lastBefore(stream, record == records.end() ? index : record->second, byNs));
      continue;
    }
    recent.forEach([&](StreamIndex stream) {
      if (stream != own) add(order.lastEndedBy(stream, byNs));
    });
  }
}

void Waits::findWaitsOfGraphs(Sources& sources) const {
  const Timeline& timeline = calls_.timeline();
  for (const Call& call : calls_.calls()) {
    const auto nodes = calls_.launched(call);
    if (nodes.size() < 2) continue;
    std::map<StreamIndex, int64_t> endsNs;
    std::set<std::pair<int64_t, EventIndex>> ended;
    for (const EventIndex node : nodes) {
      const int64_t startNs = timeline.startNs[node];
      const auto after = ended.upper_bound({startNs + kToleranceNs, kNoEvent});
      const auto [before, isFirst] = endsNs.try_emplace(calls_.streamOf(node), timeline.endNs(node));
      if (after != ended.begin()) {
        const auto [endNs, last] = *std::prev(after);
        const bool joins = !isFirst && startNs > before->second + kToleranceNs && endNs > before->second &&
                           startNs - endNs <= kLongestJoinNs;
        if (isFirst || joins) sources.emplace_back(node, last);
      }
      before->second = std::max(before->second, timeline.endNs(node));
      ended.emplace(timeline.endNs(node), node);
    }
  }
}

/// Events whose launch is not in the trace, and which start long after the one before them.
void Waits::findReleasesOfUnlaunched(Sources& sources) const {
  const Timeline& timeline = calls_.timeline();
  // Most runs have no such event.
  std::vector<std::pair<int64_t, EventIndex>> byEnd;
  const auto findEnds = [&] {
    for (EventIndex event = 0; event < timeline.size(); ++event) byEnd.emplace_back(timeline.endNs(event), event);
    compactSort(byEnd);
  };
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    const EventIndex before = calls_.before(event);
    const int64_t startNs = timeline.startNs[event];
    if (calls_.launchOf(event) != kNoCall || before == kNoEvent ||
        startNs - timeline.endNs(before) < kGapOfUnlaunchedNs)
      continue;
    if (byEnd.empty()) findEnds();
    const auto after = std::ranges::upper_bound(byEnd, std::pair(startNs, kNoEvent));
    if (after == byEnd.begin()) continue;
    const auto [endNs, source] = *std::prev(after);
    if (source != event && startNs - endNs <= kGapOfUnlaunchedNs && calls_.streamOf(source) != calls_.streamOf(event))
      sources.emplace_back(event, source);
  }
}

void Waits::findCallWaits() {
  const Timeline& timeline = calls_.timeline();
  const auto calls = calls_.calls();
  LaunchOrder order(calls_);
  /// Of each thread, what it launched last; and of each record, by correlation, and of the last one of a thread.
  std::vector<EventIndex> lastLaunched(calls_.threads(), kNoEvent), lastRecorded(calls_.threads(), kNoEvent);
  CompactMap<int64_t, CallIndex> records;
  CompactMap<int64_t, EventIndex> recorded;
  const auto settle = [&](const Call& call, CallWait& wait, int64_t releaseNs) {
    wait.releaseNs = releaseNs;
    if (releaseNs <= call.startNs) return;
    if (releaseNs > call.endNs + kClockSkewNs) {
      ++contradictions_;
      wait = {};
      return;
    }
    wait.waited = true;
    wait.returnNs = call.endNs - releaseNs;
  };
  for (CallIndex index = 0; index < calls.size(); ++index) {
    const Call& call = calls[index];
    order.advanceTo(index);
    CallWait& wait = ofCall_[index];
    const WaitFacts* facts = statedOf(call);
    if (call.launches) {
      const EventIndex first = calls_.launched(call).front();
      const StreamIndex stream = calls_.streamOf(first);
      if (isBlockingCopy_[first]) {
        // The call returns when the last part of the copy is in the driver's buffer, which may be long before its end.
        const int64_t endNs = timeline.endNs(first);
        wait = {CallWait::Kind::OwnCopy, stream, first, endNs, endNs > call.startNs, call.endNs - endNs};
      } else if (queueLength_) {
        const EventIndex ahead = order.launchedAhead(stream, *queueLength_);
        const int64_t roomNs = ahead == kNoEvent ? call.startNs : timeline.startNs[ahead];
        const bool isLong = call.lengthNs() > kHeldFactor * medianLengthNs_[index];
        const bool endsSoon = roomNs <= call.endNs && call.endNs - roomNs <= kLongestReturnNs;
        if (roomNs > call.startNs && (isLong || endsSoon)) {
          wait = {CallWait::Kind::Queue, stream, ahead};
          settle(call, wait, roomNs);
        }
      }
      lastLaunched[call.thread] = calls_.launched(call).back();
      continue;
    }
    switch (call.meaning) {
      case DeviceCall::DeviceSync:
        wait = {CallWait::Kind::Device, kNoTrack, order.lastToEnd(call.endNs)};
        break;
      case DeviceCall::StreamSync: {
        const EventIndex last = lastLaunched[call.thread];
        const StreamIndex stream = facts != nullptr && facts->stream >= 0 ? calls_.findStream(facts->stream)
                                   : last == kNoEvent                     ? kNoTrack
                                                                          : calls_.streamOf(last);
        if (stream != kNoTrack) wait = {CallWait::Kind::Stream, stream, order.lastToEnd(stream, call.endNs)};
        break;
      }
      case DeviceCall::EventSync: {
        EventIndex event = lastRecorded[call.thread];
        if (facts != nullptr && facts->recordCorrelation >= 0) {
          const auto of = recorded.find(facts->recordCorrelation);
          event = of == recorded.end() ? kNoEvent : of->second;
          const StreamIndex stream = calls_.findStream(facts->sourceStream);
          const auto record = records.find(facts->recordCorrelation);
          if (stream != kNoTrack && record != records.end())
            event = order.lastBefore(stream, record->second, call.endNs);
        }
        if (event != kNoEvent) wait = {CallWait::Kind::Event, calls_.streamOf(event), event};
        break;
      }
      case DeviceCall::EventRecord:
        lastRecorded[call.thread] = lastLaunched[call.thread];
        if (const int64_t correlation = calls_.host().correlation[call.event]; correlation >= 0) {
          records[correlation] = index;
          recorded[correlation] = lastLaunched[call.thread];
        }
        break;
      default:
        break;
    }
    if (call.awaited != kNoEvent) wait = {CallWait::Kind::Event, calls_.streamOf(call.awaited), call.awaited};
    if (wait.kind != CallWait::Kind::None && wait.event != kNoEvent) settle(call, wait, timeline.endNs(wait.event));
  }
}

}  // namespace amdahlc::schedule
