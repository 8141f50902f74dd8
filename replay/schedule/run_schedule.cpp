#include "replay/schedule/run_schedule.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "replay/schedule/implicit_waits.h"
#include "replay/schedule/replay.h"
#include "replay/timeline/totals.h"
#include "support/compact.h"
#include "support/statistics.h"

namespace amdahlc::schedule {
namespace {

/// A call that is shorter than this, or than so many medians of its name, is no wait that matters.
constexpr int64_t kLongCallNs = 100'000, kMediansOfALongCall = 10;

/// Time in long calls that end shortly after the end of a device event, and are not modelled as waits.
int64_t auditNs(const RunModel& model, const ReportedIterations& reported) {
  const RunCalls& calls = model.calls;
  const HostFacts& host = calls.host();
  const Timeline& timeline = calls.timeline();
  const auto isModelled = [&](HostEventId event) {
    const CallIndex call = calls.callOf(event);
    return call != kNoCall && model.waits.of(call).kind != CallWait::Kind::None;
  };
  std::map<uint32_t, std::vector<int64_t>> lengths;
  for (const HostEventId event : host.kind.ids())
    if (host.kind[event] == EventKind::Runtime) lengths[host.name[event].index].push_back(host.durationNs[event]);
  std::map<uint32_t, int64_t> medians = mediansOf(lengths);
  std::vector<int64_t> ends;
  for (EventIndex event = 0; event < timeline.size(); ++event) ends.push_back(timeline.endNs(event));
  // Those of one stream are.
  if (!std::ranges::is_sorted(ends)) compactSort(ends);
  int64_t sumNs = 0;
  // By track, until when it is in a wait that is modelled: a run of queries is one.
  std::vector<int64_t> untilNs(timeline.tracks.size(), std::numeric_limits<int64_t>::min());
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Runtime) continue;
    int64_t& waitsUntilNs = untilNs[host.track[event]];
    if (isModelled(event)) {
      waitsUntilNs = std::max(waitsUntilNs, calls.calls()[calls.callOf(event)].endNs);
      continue;
    }
    if (host.endNs(event) <= waitsUntilNs || !reported.has(host.iteration[event])) continue;
    const int64_t lengthNs = host.durationNs[event];
    if (lengthNs <= kLongCallNs || lengthNs <= kMediansOfALongCall * medians[host.name[event].index]) continue;
    const auto after = std::ranges::upper_bound(ends, host.endNs(event));
    if (after != ends.begin() && host.endNs(event) - *std::prev(after) <= kLongestReturnNs) sumNs += lengthNs;
  }
  return sumNs;
}

/// With a larger share of wall in waits that are not explained, or a larger error, no prediction is worth much: in
/// thousandths.
constexpr int64_t kMuch = 50;

bool isMuch(int64_t ns, int64_t ofNs) { return static_cast<__int128>(ns) * 1000 > static_cast<__int128>(ofNs) * kMuch; }

std::vector<HostWaits> hostWaits(const RunModel& model, const ReportedIterations& reported) {
  const RunCalls& calls = model.calls;
  std::map<uint32_t, HostWaits> byName;
  for (CallIndex index = 0; index < calls.calls().size(); ++index) {
    const Call& call = calls.calls()[index];
    const CallWait& wait = model.waits.of(index);
    if (!wait.waited || !reported.has(calls.host().iteration[call.event])) continue;
    HostWaits& waits = byName[calls.symbol(call).index];
    waits.name = calls.symbol(call);
    ++waits.calls;
    // What it waits for may end later by the clock of the device.
    const int64_t ns = std::min(wait.releaseNs, call.endNs) - call.startNs;
    waits.ns += ns;
    if (ns <= waits.longestNs) continue;
    waits.longestNs = ns;
    waits.longest = call.event;
  }
  std::vector<HostWaits> rows;
  for (const auto& [symbol, waits] : byName) rows.push_back(waits);
  std::ranges::stable_sort(rows, std::ranges::greater(), &HostWaits::ns);
  return rows;
}

RunSchedule::Times reportedTimes(const RunModel& model, const ReplayedRun& run) {
  RunSchedule::Times times;
  for (const ReplayedIteration& one : model.reported.of(run.iterations)) times.wallNs += one.extent.lengthNs();
  times.windowNs = replayedTimes(model, run).windowNs;
  return times;
}

/// Adds up the pieces of all reported iterations, in the order of the representative one.
template <typename PiecesOf>
std::vector<TimePiece> summed(const Timeline& timeline, const ReportedIterations& reported, PiecesOf piecesOf) {
  PieceSums sums;
  const auto addAll = [&](size_t iteration) {
    for (const TimePiece& piece : piecesOf(static_cast<int32_t>(iteration))) sums.add(piece);
  };
  if (timeline.iterations.empty()) return {};
  const size_t first = representativeIteration(timeline);
  addAll(first);
  for (size_t i = 0; i < timeline.iterations.size(); ++i)
    if (i != first && reported.has(static_cast<int32_t>(i))) addAll(i);
  return sums.pieces();
}

}  // namespace

int64_t RunSchedule::strictErrorNs() const { return std::abs(strict.wallNs - wallNs); }

bool RunSchedule::isUnexplained() const { return isMuch(unexplainedNs, wallNs); }

bool RunSchedule::isMostlyBefore() const { return wallNs > 0 && beforeRecordingNs >= wallNs - beforeRecordingNs; }

bool RunSchedule::isInexact() const { return isMuch(strictErrorNs(), wallNs); }

std::optional<Absence> absenceOfSchedule(const Timeline& timeline) {
  if (auto absence = timeline.absenceOfHostSide()) return absence;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (!timeline.host->launchCall(event).isNone()) return std::nullopt;
  return Absence{Absence::Reason::NoLaunches};
}

RunSchedule runSchedule(const RunModel& model) {
  const Timeline& timeline = model.calls.timeline();
  RunSchedule schedule;
  const ReportedIterations& reported = model.reported;
  schedule.windowNs = 0;
  const std::vector<IterationTimes> times = iterationTimes(timeline);
  for (size_t i = 0; i < times.size(); ++i) {
    if (!reported.has(static_cast<int32_t>(i))) continue;
    schedule.wallNs += *times[i].wallNs;
    if (schedule.windowNs && model.threadsOfIterations[i] != kNoTrack)
      *schedule.windowNs += *times[i].windowNs;
    else
      schedule.windowNs.reset();
  }
  const HostActivity activity(model.calls);
  schedule.idle = summed(timeline, reported, [&](int32_t i) { return idlePieces(model, activity, i); });
  schedule.wallPath = summed(timeline, reported, [&](int32_t i) { return wallPath(model, activity, i); });
  if (schedule.windowNs) {
    std::vector<WindowPath> paths(times.size());
    for (size_t i = 0; i < times.size(); ++i)
      if (reported.has(static_cast<int32_t>(i))) paths[i] = windowPath(model, activity, static_cast<int32_t>(i));
    const auto summedPart = [&](auto part) {
      return summed(timeline, reported, [&](int32_t i) { return paths[static_cast<size_t>(i)].*part; });
    };
    schedule.windowPath = summedPart(&WindowPath::pieces);
    schedule.windowPathBefore = summedPart(&WindowPath::before);
    schedule.windowPathAfter = summedPart(&WindowPath::after);
  }
  const auto beforeNs = [](const std::vector<TimePiece>& path) {
    int64_t ns = 0;
    for (const TimePiece& piece : path)
      if (piece.note == PieceNote::BeforeRecording) ns += piece.ns;
    return ns;
  };
  schedule.beforeRecordingNs = beforeNs(schedule.wallPath);
  schedule.windowBeforeRecordingNs = beforeNs(schedule.windowPath);

  const ReplayedRun kept = replay(model);
  schedule.kept = reportedTimes(model, kept);
  schedule.unchanged = replayedTimes(model, kept);
  const bool explainsAll =
      std::ranges::all_of(model.releases, [](const Release& one) { return one.unexplainedNs == 0; });
  schedule.strict =
      explainsAll ? schedule.kept : reportedTimes(model, replay(model, {}, {.keepsUnexplainedWaits = false}));
  Changes device, host;
  device.events.assign(timeline.size(), Rational{0, 1});
  host.host = Rational{0, 1};
  schedule.withoutDevice = replayedTimes(model, replay(model, device));
  schedule.withoutHost = replayedTimes(model, replay(model, host));
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (!reported.has(timeline.iteration[event])) continue;
    schedule.unexplainedNs += model.releases[event].unexplainedNs;
    schedule.carriedIn += model.releases[event].isCarriedIn;
    schedule.withoutLaunch += model.calls.launchOf(event) == kNoCall;
  }
  schedule.hostWaits = hostWaits(model, reported);
  schedule.auditNs = auditNs(model, reported);
  schedule.contradictions = model.waits.contradictions();
  schedule.queueLength = model.waits.queueLength();
  schedule.constants = model.constants.all();
  return schedule;
}

}  // namespace amdahlc::schedule
