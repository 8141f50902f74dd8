/// Properties of the replay on recorded runs.
#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

#include "replay/schedule/replay.h"
#include "replay/schedule/run_schedule.h"
#include "replay/timeline/interval.h"
#include "runs/builder/builder.h"
#include "tests/unit/replay/schedule/shared_runs.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

template <typename Piece>
int64_t sumOf(const std::vector<Piece>& pieces) {
  return std::accumulate(pieces.begin(), pieces.end(), int64_t{0},
                         [](int64_t ns, const Piece& piece) { return ns + piece.ns; });
}

}  // namespace

TEST_CASE("the pieces of idle time, of the path and of the window sum exactly; changes act in one direction") {
  for (const auto& [file, timeline] : sharedRuns()) {
    CAPTURE(file);
    const RunModel model(timeline);
    const HostActivity activity(model.calls);
    for (size_t i = 0; i < timeline.iterations.size(); ++i) {
      CAPTURE(i);
      const auto iteration = static_cast<int32_t>(i);
      std::vector<TimeInterval> intervals;
      for (const EventIndex event : model.eventsOfIterations[i])
        intervals.push_back({timeline.startNs[event], timeline.endNs(event)});
      if (intervals.empty()) continue;
      int64_t endNs = intervals.front().endNs;
      for (const TimeInterval& interval : intervals) endNs = std::max(endNs, interval.endNs);
      const int64_t wallNs = endNs - intervals.front().startNs;
      CHECK(sumOf(idlePieces(model, activity, iteration)) == wallNs - unionLength(intervals));
      CHECK(sumOf(wallPath(model, activity, iteration)) == wallNs);
      if (model.threadsOfIterations[i] != schedule::kNoTrack)
        CHECK(sumOf(windowPath(model, activity, iteration).pieces) ==
              *timeline.iterations[i].endNs - *timeline.iterations[i].startNs);
    }
    const auto wallWith = [&](Rational device, Rational host) {
      Changes changes;
      changes.events.assign(timeline.size(), device);
      changes.host = host;
      return replay(model, changes).wallNs;
    };
    const int64_t sameNs = replay(model).wallNs;
    CHECK(wallWith({1, 1}, {1, 1}) == sameNs);
    int64_t lastNs = wallWith({2, 1}, {1, 1});
    for (const Rational& factor : {Rational{3, 2}, Rational{1, 1}, Rational{9, 10}, Rational{1, 2}, Rational{0, 1}}) {
      const int64_t ns = wallWith(factor, {1, 1});
      CHECK(ns <= lastNs);
      lastNs = ns;
    }
    lastNs = sameNs;
    for (const Rational& factor : {Rational{7, 10}, Rational{1, 2}, Rational{1, 5}, Rational{0, 1}}) {
      const int64_t ns = wallWith({1, 1}, factor);
      CHECK(ns <= lastNs);
      lastNs = ns;
    }
  }
}

namespace {

/// When the thread is where it was at a measured time, if only device work changed.
int64_t replayedNs(const std::vector<ThreadMoment>& moments, int64_t measuredNs) {
  const auto after = std::upper_bound(moments.begin(), moments.end(), measuredNs,
                                      [](int64_t ns, const ThreadMoment& moment) { return ns < moment.measuredNs; });
  const ThreadMoment& moment = after == moments.begin() ? moments.front() : *std::prev(after);
  return moment.replayedNs + measuredNs - moment.measuredNs;
}

/// The run that the replay says would have been recorded.
Timeline recorded(const RunModel& model, const ReplayedRun& run) {
  const Timeline& from = model.calls.timeline();
  const HostFacts& host = model.calls.host();
  TimelineBuilder builder;
  builder.facts().target = from.target;
  const auto add = [&](EventKind kind, Symbol name, uint32_t track, int64_t correlation, int64_t startNs, int64_t endNs,
                       uint32_t facts) {
    const Track& of = from.tracks[track];
    RawEvent event;
    event.kind = kind;
    event.name = from.text(name);
    event.track = builder.track(of.process, of.thread, of.device);
    event.correlation = correlation;
    event.startNs = startNs;
    event.durationNs = std::max<int64_t>(0, endNs - startNs);
    event.facts = facts;
    builder.add(event);
  };
  for (EventIndex event = 0; event < from.size(); ++event)
    add(from.kind[event], from.name[event], from.track[event], from.correlation[event], run.startNs[event],
        run.endNs[event], kNoFacts);
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] == EventKind::Frame || host.kind[event] == EventKind::ModuleFrame) continue;
    const ThreadIndex thread = model.calls.threadOf(event);
    const WaitFacts* const wait = host.waitFactsOf(event);
    const auto when = [&](int64_t ns) {
      return thread == schedule::kNoTrack ? ns : replayedNs(run.threads[thread], ns);
    };
    add(host.kind[event], host.name[event], host.track[event], host.correlation[event], when(host.startNs[event]),
        when(host.endNs(event)), wait ? builder.facts(*wait) : kNoFacts);
  }
  return builder.finish(StepSelection::Whole);
}

}  // namespace

TEST_CASE("a replayed run, recorded and replayed back, gives the wall time back within 0.2 %") {
  for (const auto& [file, timeline] : sharedRuns()) {
    CAPTURE(file);
    const RunModel model(timeline);
    const int64_t wallNs = replay(model).wallNs;
    for (const Rational& factor : {Rational{2, 1}, Rational{1, 2}, Rational{1, 4}}) {
      CAPTURE(factor.describe());
      Changes there, back;
      there.events.assign(timeline.size(), factor);
      back.events.assign(timeline.size(), Rational{factor.denominator, factor.numerator});
      const Timeline changed = recorded(model, replay(model, there));
      REQUIRE(changed.size() == timeline.size());
      const int64_t againNs = replay(RunModel(changed), back).wallNs;
      CHECK_MESSAGE(std::abs(againNs - wallNs) * 500 <= wallNs, againNs << " ns, not " << wallNs << " ns");
    }
  }
}

TEST_CASE("the saving of a set of events is at least that of each of its members") {
  for (const auto& [file, timeline] : sharedRuns()) {
    CAPTURE(file);
    const RunModel model(timeline);
    const int64_t wallNs = replay(model).wallNs;
    // Every n-th event is removed, and of those every second one.
    for (const size_t n : {3, 7, 20}) {
      const auto wallWithout = [&](size_t every, size_t offset) {
        Changes changes;
        changes.events.assign(timeline.size(), Rational{1, 1});
        for (size_t event = offset; event < timeline.size(); event += every) changes.events[event] = {0, 1};
        return replay(model, changes).wallNs;
      };
      const int64_t allNs = wallWithout(n, 0);
      CHECK(allNs <= wallNs);
      CHECK(allNs <= wallWithout(2 * n, 0));
      CHECK(allNs <= wallWithout(2 * n, n));
    }
  }
}
