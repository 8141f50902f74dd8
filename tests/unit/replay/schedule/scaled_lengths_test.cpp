
#include <doctest/doctest.h>

#include <numeric>

#include "replay/schedule/busy_time.h"
#include "replay/schedule/replay.h"
#include "replay/schedule/scaled_time.h"
#include "tests/unit/replay/schedule/run_builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

/// A graph of 2000 kernels of 1 ns, one after the other, in turns of two names.
Timeline shortKernels() {
  RunBuilder run;
  run.call("cudaGraphLaunch", {0, 1 * us}, 1);
  for (int64_t i = 0; i < 2'000; ++i) run.kernel(i % 2 == 0 ? "even" : "odd", {10 * us + i, 10 * us + i + 1}, 1);
  return run.finish();
}

int64_t replayedBusyNs(const Timeline& timeline, std::vector<Rational> factors) {
  const RunModel model(timeline);
  Changes changes;
  changes.events = std::move(factors);
  const ReplayedRun run = replay(model, changes);
  std::vector<TimeInterval> intervals;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    intervals.push_back({run.startNs[event], run.endNs[event]});
  return unionLength(std::move(intervals));
}

}  // namespace

TEST_CASE("many short kernels gain as much as one long one, by replay and by arithmetic") {
  const Timeline timeline = shortKernels();
  const std::vector<Rational> unscaled(timeline.size(), Rational::of(1));
  const std::pair<Rational, int64_t> cases[] = {{{1, 2}, 1'000}, {{1, 3}, 667}, {{2, 3}, 1'333}, {{1, 3'999}, 1},
                                                {{3, 2}, 3'000}, {{0, 1}, 0},   {{1, 4'001}, 0}, {{999, 1'000}, 1'998}};
  for (const auto& [factor, expectedNs] : cases) {
    CAPTURE(factor.describe());
    const std::vector<Rational> factors(timeline.size(), factor);
    const std::vector<int64_t> lengthsNs = scaledDurations(timeline, ReportedIterations(timeline), factors);
    CHECK(std::accumulate(lengthsNs.begin(), lengthsNs.end(), int64_t{0}) == expectedNs);
    CHECK(replayedBusyNs(timeline, factors) == expectedNs);
    CHECK(busyTime(timeline, factors).rounded() == expectedNs);
    CHECK(BusySegments(timeline, std::vector<EventClass>(timeline.size(), 0), unscaled).busyNs(std::vector{factor}) ==
          expectedNs);
  }
}

TEST_CASE("kernels with a factor each gain together what their sum does") {
  const Timeline timeline = shortKernels();
  std::vector<Rational> factors;
  std::vector<EventClass> classes;
  long double exactNs = 0;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    // Each alone would be rounded up.
    factors.push_back(Rational::of(601 + event, 1'201 + event));
    exactNs += static_cast<long double>(factors.back().numerator) / factors.back().denominator;
    classes.push_back(event);
  }
  const auto expectedNs = static_cast<int64_t>(exactNs + 0.5L);
  CHECK(expectedNs < 1'500);
  CHECK(replayedBusyNs(timeline, factors) == expectedNs);
  CHECK(busyTime(timeline, factors).rounded() == expectedNs);
  CHECK(BusySegments(timeline, classes, std::vector(timeline.size(), Rational::of(1))).busyNs(factors) == expectedNs);
}

TEST_CASE("each stream has its remainder, and what is not selected has one of its own") {
  RunBuilder run;
  for (int64_t i = 0; i < 1'000; ++i)
    for (const char* const stream : {"7", "20"}) run.kernel("k", {i, i + 1}, -1, stream);
  Timeline timeline = run.finish();
  const std::vector<Rational> half(timeline.size(), Rational::of(1, 2));
  // Both run all the time, and thus half as long.
  CHECK(busyTime(timeline, half).rounded() == 500);
  const std::vector<int64_t> lengthsNs = scaledDurations(timeline, ReportedIterations(timeline), half);
  std::map<uint32_t, int64_t> ofStreams;
  for (EventIndex event = 0; event < timeline.size(); ++event) ofStreams[timeline.track[event]] += lengthsNs[event];
  REQUIRE(ofStreams.size() == 2);
  for (const auto& [track, ns] : ofStreams) CHECK(ns == 500);

  timeline.iterations.push_back(timeline.iterations.front());
  timeline.iterations.back().leftOut = LeftOut::WarmUp;
  for (EventIndex event = 0; event < 1'002; ++event) timeline.iteration[event] = 1;
  // 499 of each stream are selected.
  const std::vector<int64_t> again = scaledDurations(timeline, ReportedIterations(timeline), half);
  CHECK(std::accumulate(again.begin() + 1'002, again.end(), int64_t{0}) == 2 * 250);
}

TEST_CASE("a slower host is that much slower at any time of the clock") {
  // Clocks count from 1970: times five and a half, the moments between these are beyond 64 bits.
  constexpr int64_t kBeyondNs = 1'676'976'733'973'595'601;
  const HostTime slower(Rational::of(11, 2), {{0, kBeyondNs + 100, kBeyondNs + 200, Rational::of(7)}});
  CHECK(slower.between(0, kBeyondNs - 10, kBeyondNs) == 55);
  CHECK(slower.between(0, kBeyondNs - 100, kBeyondNs + 100) == 1'100);
  CHECK(slower.between(0, kBeyondNs - 100, kBeyondNs + 200) == 1'100 + 700);
}

TEST_CASE("the time of the host loses nothing to its calls") {
  RunBuilder run;
  // Calls of 1 ns with 1 ns between them.
  for (int64_t i = 0; i < 1'000; ++i) run.call("cudaEventRecord", {2 * i, 2 * i + 1});
  run.launch({2'000, 2'001}, 1);
  run.kernel("k", {5'000, 6'000}, 1);
  const Timeline timeline = run.finish();
  const RunModel model(timeline);
  Changes changes;
  changes.host = Rational::of(1, 2);
  CHECK(replay(model).threads[0].back().replayedNs == 2'001);
  CHECK(replay(model, changes).threads[0].back().replayedNs == 1'001);
}
