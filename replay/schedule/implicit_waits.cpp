#include "replay/schedule/implicit_waits.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "support/compact.h"
#include "support/statistics.h"

namespace amdahlc::schedule {
namespace {

/// A shorter call is no wait that matters, and a query that follows later belongs to another run.
constexpr int64_t kShortNs = 20'000;
/// How many idle lengths a long call takes.
constexpr int64_t kLongFactor = 5;
constexpr int64_t kLeastIdleLengthNs = 1'000;
/// Fewer calls say little of their name.
constexpr size_t kFewestCalls = 3;
/// An event that a call waited for ends so long after the call by the other clock.
constexpr int64_t kAfterEndNs = 1'000;
/// The ends of events are shifted by multiples of this part of the recording.
constexpr int64_t kShifts = 17;
/// By so many tenths must the share of hits exceed the share by chance.
constexpr int64_t kExcessTenths = 3;

/// A call that may wait, or a run of queries.
struct Candidate {
  HostEventId call;
  TimeInterval interval;
  CallRole role;
  int64_t calls = 1;
  /// Of queries, when the last one began.
  int64_t lastNs = 0;
  /// An event that it waited for ends so long before its end. The query before the last one found it running.
  int64_t beforeEndNs = kLongestReturnNs;
};

/// By the symbol of their name.
using Candidates = std::map<uint32_t, std::vector<Candidate>>;

class CandidateFinder {
 public:
  explicit CandidateFinder(const Timeline& timeline) : host_(*timeline.host), tracks_(timeline.tracks.size()) {}

  /// Each call in order of start.
  void add(HostEventId event, CallRole role) {
    const TimeInterval interval = host_.interval(event);
    Track& track = tracks_[host_.track[event]];
    const bool isInside = interval.startNs < track.explainedNs;
    if (role == CallRole::Query && track.run && interval.startNs - all_[*track.run].interval.endNs < kShortNs) {
      Candidate& run = all_[*track.run];
      run.interval.endNs = std::max(run.interval.endNs, interval.endNs);
      run.beforeEndNs = std::min(kLongestReturnNs, interval.endNs - run.lastNs);
      run.lastNs = interval.startNs;
      ++run.calls;
      return;
    }
    track.run.reset();
    if (role == CallRole::Explained) {
      track.explainedNs = std::max(track.explainedNs, interval.endNs);
      explained_.insert(host_.name[event].index);
    } else if (!isInside) {
      if (role == CallRole::Query) track.run = all_.size();
      all_.push_back({event, interval, role, 1, interval.startNs});
    }
  }

  Candidates byName() const {
    Candidates candidates;
    for (const Candidate& one : all_) {
      const uint32_t symbol = host_.name[one.call].index;
      const bool isSingleQuery = one.role == CallRole::Query && one.calls == 1;
      if (!isSingleQuery && !explained_.contains(symbol)) candidates[symbol].push_back(one);
    }
    return candidates;
  }

 private:
  struct Track {
    /// Until when a call is under way that explains those inside of it.
    int64_t explainedNs = std::numeric_limits<int64_t>::min();
    /// The run of queries that the next one continues.
    std::optional<size_t> run;
  };

  const HostFacts& host_;
  std::vector<Track> tracks_;
  std::vector<Candidate> all_;
  /// Symbols of names that explain calls.
  std::set<uint32_t> explained_;
};

/// The ends of events, in order, each with its event.
using Ends = std::vector<std::pair<int64_t, EventIndex>>;

class RunEvents {
 public:
  explicit RunEvents(const Timeline& timeline) : timeline_(timeline), host_(*timeline.host) {
    std::vector<std::optional<TimeInterval>> extents(timeline.recordingCount());
    const auto extendBy = [&](const TimeInterval& one) { extend(extents[timeline.recordingAt(one.startNs)], one); };
    std::vector<TimeInterval> intervals;
    for (EventIndex event = 0; event < timeline.size(); ++event) {
      extendBy(timeline.interval(event));
      intervals.push_back(timeline.interval(event));
      launched_.emplace_back(launchedNs(event), timeline.endNs(event));
      ends_.emplace_back(timeline.endNs(event), event);
    }
    for (const HostEventId event : host_.kind.ids())
      if (host_.kind[event] == EventKind::Runtime) extendBy(host_.interval(event));
    for (const auto& extent : extents) extents_.push_back(extent.value_or(TimeInterval{}));
    active_ = unionOf(std::move(intervals));
    compactSort(launched_);
    compactSort(ends_);
    for (size_t i = 1; i < launched_.size(); ++i)
      launched_[i].second = std::max(launched_[i].second, launched_[i - 1].second);
    std::ranges::copy_if(ends_, std::back_inserter(lastEnds_),
                         [&](const auto& end) { return endNs(end.first) <= end.first; });
  }

  /// Adds the waits of a name.
  void findWaits(const std::vector<Candidate>& calls, std::vector<ImplicitWait>& waits) const {
    std::vector<int64_t> idleLengths;
    for (const Candidate& one : calls)
      if (isIdle(one.interval)) idleLengths.push_back(one.interval.lengthNs());
    const int64_t idleNs = idleLengths.size() < kFewestCalls ? 0 : std::max(kLeastIdleLengthNs, median(idleLengths));
    std::vector<Candidate> longCalls;
    std::ranges::copy_if(calls, std::back_inserter(longCalls), [&](const Candidate& one) {
      return one.interval.lengthNs() > std::max(kShortNs, kLongFactor * idleNs);
    });
    if (longCalls.size() < kFewestCalls) return;
    for (const Ends* ends : {&ends_, &lastEnds_}) {
      std::vector<ImplicitWait> hits;
      for (const Candidate& one : longCalls) {
        const EventIndex event = hitAt(*ends, one, one.interval.endNs);
        if (event != kNoEvent) hits.push_back({one.call, one.interval.endNs, event});
      }
      if (2 * hits.size() <= longCalls.size() || !exceedsChance(hits.size(), *ends, longCalls)) continue;
      const int64_t ownNs = idleNs > 0 ? idleNs : timeAfterEvents(hits);
      for (ImplicitWait& hit : hits) hit.ownNs = ownNs;
      const bool waitForAll = std::ranges::all_of(calls, [&](const Candidate& one) {
        return one.role == CallRole::Other && endNs(one.interval.startNs) <= one.interval.endNs + kAfterEndNs;
      });
      if (waitForAll) {
        hits.clear();
        for (const Candidate& one : calls) hits.push_back({one.call, one.interval.endNs, kNoEvent, ownNs});
      }
      waits.insert(waits.end(), hits.begin(), hits.end());
      return;
    }
  }

 private:
  /// From the end of the event to that of the call, in the median.
  int64_t timeAfterEvents(const std::vector<ImplicitWait>& hits) const {
    std::vector<int64_t> times;
    for (const ImplicitWait& hit : hits) times.push_back(std::max<int64_t>(0, hit.endNs - timeline_.endNs(hit.event)));
    return median(times);
  }

  int64_t launchedNs(EventIndex event) const {
    const HostEventId launch = host_.launchCall(event);
    return launch.isNone() ? timeline_.startNs[event] : host_.startNs[launch];
  }

  /// Whether no event runs in an interval.
  bool isIdle(const TimeInterval& interval) const {
    const auto after = std::ranges::lower_bound(active_, interval.endNs, {}, &TimeInterval::startNs);
    return after == active_.begin() || std::prev(after)->endNs <= interval.startNs;
  }

  /// When all ends that was launched before this time.
  int64_t endNs(int64_t launchedBeforeNs) const {
    const auto after =
        std::ranges::lower_bound(launched_, launchedBeforeNs, {}, [](const auto& one) { return one.first; });
    return after == launched_.begin() ? std::numeric_limits<int64_t>::min() : std::prev(after)->second;
  }

  /// The event that a call hits if it ends at `ns`; kNoEvent without one.
  EventIndex hitAt(const Ends& ends, const Candidate& call, int64_t ns) const {
    const auto after = std::ranges::upper_bound(ends, ns + kAfterEndNs, {}, [](const auto& end) { return end.first; });
    if (after == ends.begin()) return kNoEvent;
    const auto [endNs, event] = *std::prev(after);
    return endNs < ns - call.beforeEndNs || launchedNs(event) >= ns ? kNoEvent : event;
  }

  bool exceedsChance(size_t hits, const Ends& ends, const std::vector<Candidate>& calls) const {
    int64_t byChance = 0;
    // To shift an end to the right is to shift all events to the left.
    for (int64_t k = 1; k < kShifts; ++k)
      for (const Candidate& one : calls) {
        const TimeInterval& extent = extents_[timeline_.recordingAt(one.interval.startNs)];
        int64_t ns = one.interval.endNs + k * (extent.lengthNs() / kShifts);
        if (ns > extent.endNs) ns -= extent.lengthNs();
        byChance += hitAt(ends, one, ns) != kNoEvent;
      }
    const int64_t shifts = kShifts - 1, count = static_cast<int64_t>(calls.size());
    return 10 * (static_cast<int64_t>(hits) * shifts - byChance) > kExcessTenths * shifts * count;
  }

  const Timeline& timeline_;
  const HostFacts& host_;
  /// By recording.
  std::vector<TimeInterval> extents_;
  /// When events run.
  std::vector<TimeInterval> active_;
  /// The launches of events, in order, each with the latest end of those that were launched by then.
  std::vector<std::pair<int64_t, int64_t>> launched_;
  Ends ends_;
  /// Those at which all had ended that was launched before.
  Ends lastEnds_;
};

}  // namespace

std::vector<ImplicitWait> findImplicitWaits(const Timeline& timeline,
                                            const std::vector<std::pair<HostEventId, CallRole>>& calls) {
  CandidateFinder finder(timeline);
  for (const auto& [event, role] : calls) finder.add(event, role);
  Candidates candidates = finder.byName();
  std::erase_if(candidates, [](const auto& ofName) {
    return std::ranges::count_if(ofName.second, [](const Candidate& one) {
             return one.interval.lengthNs() > kShortNs;
           }) < static_cast<ptrdiff_t>(kFewestCalls);
  });
  if (candidates.empty()) return {};
  std::vector<ImplicitWait> hits;
  const RunEvents events(timeline);
  for (const auto& [symbol, ofName] : candidates) events.findWaits(ofName, hits);
  compactSort(hits, {}, &ImplicitWait::call);

  // A call waits itself only if no other call that orders work begins inside of it.
  std::vector<ImplicitWait> waits;
  std::vector<size_t> lastOfTrack(timeline.tracks.size(), hits.size());
  std::vector<bool> isInner(hits.size(), true);
  size_t next = 0;
  for (const auto& [event, role] : calls) {
    const bool isHit = next < hits.size() && hits[next].call == event;
    if (!isHit && role != CallRole::Explained && role != CallRole::Orders) continue;
    size_t& last = lastOfTrack[timeline.host->track[event]];
    if (last < hits.size() && timeline.host->startNs[event] < hits[last].endNs) isInner[last] = false;
    last = isHit ? next++ : hits.size();
  }
  for (size_t hit = 0; hit < hits.size(); ++hit)
    if (isInner[hit]) waits.push_back(hits[hit]);
  return waits;
}

}  // namespace amdahlc::schedule
