/// The laws of runs of several recordings: each is replayed, and waits, as if it were alone.
#include "replay/timeline/recordings.h"

#include <doctest/doctest.h>

#include <map>

#include "replay/schedule/replay.h"
#include "replay/schedule/time_pieces.h"
#include "tests/unit/replay/schedule/run_builder.h"
#include "tests/unit/replay/schedule/simulator.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

/// Two streams that wait for one another, copies, and a device that is not done when the recording ends.
Timeline simulated() {
  std::vector<Step> program;
  for (int step = 0; step < 4; ++step) {
    for (int i = 0; i < 4; ++i) {
      program.insert(program.end(),
                     {Work{7'000}, Launch{"gemm", "7", 30'000}, Work{2'000}, Launch{"relu", "7", 9'000}});
      program.insert(program.end(), {Record{i, "7"}, Wait{i, "13"}, Launch{"reduce", "13", 20'000}});
      program.insert(program.end(), {PinnedCopy{"13", 15'000}, Work{3'000}});
    }
    if (step % 2 == 0) program.emplace_back(DeviceSync{});
    program.emplace_back(NextStep{});
  }
  program.emplace_back(Launch{"gemm", "7", 30'000});
  return simulate(program, Machine()).timeline;
}

/// Events without a launch, before, among and after others, a thread that another one wakes, a stream that waits before
/// others have any work, and a call that waits without saying so. All delays of a kind are equal, so that three
/// recordings have those of one.
Timeline written() {
  RunBuilder run;
  run.kernel("early", {10 * us, 60 * us}, -1);
  run.kernel("early", {200 * us, 260 * us}, -1, "13");
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t ns = 300 * us + i * 600 * us;
    run.step("ProfilerStep#" + std::to_string(i), {ns, ns + 600 * us});
    run.op("aten::mm", {ns + 10 * us, ns + 40 * us});
    run.call("cudaStreamWaitEvent", {ns + 12 * us, ns + 14 * us});
    run.launch({ns + 20 * us, ns + 25 * us}, 10 * i + 1);
    run.kernel("gemm", {ns + 35 * us, ns + 135 * us}, 10 * i + 1);
    run.launch({ns + 80 * us, ns + 85 * us}, 10 * i + 2, "2");
    run.kernel("relu", {ns + 136 * us, ns + 150 * us}, 10 * i + 2);
    run.kernel("late", {ns + 170 * us, ns + 190 * us}, -1, "13");
    run.call("cuModuleUnload", {ns + 100 * us, ns + 200 * us});
    run.launch({ns + 300 * us, ns + 305 * us}, 10 * i + 3);
    run.kernel("gemm", {ns + 315 * us, ns + 415 * us}, 10 * i + 3);
    run.call("cuModuleUnload", {ns + 320 * us, ns + 420 * us});
    run.launch({ns + 450 * us, ns + 455 * us}, 10 * i + 4);
    run.kernel("side", {ns + 465 * us, ns + 475 * us}, 10 * i + 4, "14");
  }
  run.kernel("last", {2'900 * us, 2'950 * us}, -1, "7");
  run.kernel("last", {2'900 * us, 2'950 * us}, -1, "15");
  return run.finish();
}

/// A stream that pauses for longer than there is between recordings, as a rule.
Timeline pausing() {
  RunBuilder run;
  for (const int64_t ms : {0, 3, 6, 9}) run.kernel("early", {ms * 1'010 * us, ms * 1'010 * us + 10 * us}, -1);
  run.launch({9'500 * us, 9'505 * us}, 1);
  run.kernel("gemm", {9'515 * us, 9'600 * us}, 1, "13");
  return run.finish();
}

/// Whenever a call ends, an event does. So long calls are no waits; in the time between recordings no event ends.
Timeline busy() {
  RunBuilder run;
  run.call("cudaGraphLaunch", {0, 5 * us}, 1);
  for (int64_t i = 0; i < 60; ++i) run.kernel("node", {(10 + 15 * i) * us, (25 + 15 * i) * us}, 1);
  for (const int64_t ns : {100 * us, 250 * us, 400 * us, 600 * us}) run.call("cuModuleUnload", {ns, ns + 100 * us});
  return run.finish();
}

Timeline joined(Timeline (*make)(), int recordings) {
  const auto named = [&](int number) {
    Timeline one = make();
    one.contentHash = std::to_string(number);
    return one;
  };
  RecordingJoiner joiner(named(0));
  for (int i = 1; i < recordings; ++i) CHECK(joiner.add(named(i)) == "");
  return std::move(joiner).finish();
}

std::map<std::string, Changes> manyChanges(const Timeline& timeline) {
  std::map<std::string, Changes> all;
  all["none"];
  for (const int64_t factor : {0, 3, 90})
    all["device " + std::to_string(factor)].events.assign(timeline.size(), Rational::of(factor));
  for (const int64_t factor : {0, 2}) all["host " + std::to_string(factor)].host = Rational::of(factor);
  all["launches"].launches = Rational::of(0);
  return all;
}

}  // namespace

TEST_CASE("each recording is replayed as if it were alone, and begins when the one before it has ended") {
  constexpr int kRecordings = 3;
  for (Timeline (*make)() : {&simulated, &written, &pausing, &busy}) {
    const Timeline alone = make(), together = joined(make, kRecordings);
    const RunModel one(alone), all(together);
    const std::map<std::string, Changes> changes = manyChanges(alone), changesOfAll = manyChanges(together);
    for (const auto& [name, change] : changes)
      for (const bool keeps : {true, false}) {
        CAPTURE(name);
        CAPTURE(keeps);
        const ReplayedRun expected = replay(one, change, {keeps}), run = replay(all, changesOfAll.at(name), {keeps});
        REQUIRE(run.iterations.size() == kRecordings * expected.iterations.size());
        for (size_t i = 0; i < run.iterations.size(); ++i) {
          const ReplayedIteration& own = expected.iterations[i % expected.iterations.size()];
          CHECK(run.iterations[i].extent.lengthNs() == own.extent.lengthNs());
          CHECK(run.iterations[i].windowNs == own.windowNs);
        }
        for (size_t r = 0; r < kRecordings; ++r) {
          const size_t first = r * alone.size();
          for (size_t event = 0; event < alone.size(); ++event)
            CHECK(run.startNs[first + event] - run.startNs[first] == expected.startNs[event] - expected.startNs[0]);
          const auto ends = std::span(run.endNs).subspan(0, first);
          if (r > 0) CHECK(*std::ranges::max_element(ends) <= run.startNs[first]);
        }
      }
  }
}

TEST_CASE("nothing of a recording waits for another one, and idle time has the causes of the recording alone") {
  for (Timeline (*make)() : {&simulated, &written, &pausing, &busy}) {
    const Timeline alone = make(), together = joined(make, 3);
    const RunModel one(alone), all(together);
    const auto size = static_cast<EventIndex>(alone.size());
    const auto calls = static_cast<CallIndex>(one.calls.calls().size());
    REQUIRE(all.calls.calls().size() == 3 * calls);
    for (EventIndex event = 0; event < together.size(); ++event) {
      CAPTURE(event);
      const EventIndex own = event % size, shift = event - own;
      const auto moved = [&](EventIndex of) { return of == kNoEvent ? of : of + shift; };
      CHECK(all.calls.before(event) == moved(one.calls.before(own)));
      const auto sources = one.waits.sources(own), found = all.waits.sources(event);
      REQUIRE(found.size() == sources.size());
      for (size_t i = 0; i < found.size(); ++i) CHECK(found[i] == moved(sources[i]));
      CHECK(all.releases[event].kind == one.releases[own].kind);
      CHECK(all.releases[event].unexplainedNs == one.releases[own].unexplainedNs);
      CHECK(all.releases[event].isCarriedIn == one.releases[own].isCarriedIn);
    }
    for (CallIndex call = 0; call < 3 * calls; ++call) {
      const CallWait &expected = one.waits.of(call % calls), &found = all.waits.of(call);
      CHECK(found.kind == expected.kind);
      CHECK(found.waited == expected.waited);
      CHECK(found.event == (expected.event == kNoEvent ? kNoEvent : expected.event + call / calls * size));
    }
    size_t handOvers = 0, expectedHandOvers = 0;
    for (ThreadIndex thread = 0; thread < all.calls.threads(); ++thread) handOvers += all.handOvers.of(thread).size();
    for (ThreadIndex thread = 0; thread < one.calls.threads(); ++thread)
      expectedHandOvers += one.handOvers.of(thread).size();
    CHECK(handOvers == 3 * expectedHandOvers);
    const HostActivity activityOfOne(one.calls), activityOfAll(all.calls);
    for (size_t i = 0; i < together.iterations.size(); ++i) {
      const auto own = static_cast<int32_t>(i % alone.iterations.size());
      const auto sumOf = [](const std::vector<PlacedPiece>& pieces) {
        std::map<std::pair<PieceKind, PieceNote>, int64_t> sums;
        for (const TimePiece& piece : pieces) sums[{piece.kind, piece.note}] += piece.ns;
        return sums;
      };
      CHECK(sumOf(idlePieces(all, activityOfAll, static_cast<int32_t>(i))) ==
            sumOf(idlePieces(one, activityOfOne, own)));
      CHECK(sumOf(wallPath(all, activityOfAll, static_cast<int32_t>(i))) == sumOf(wallPath(one, activityOfOne, own)));
    }
  }
}
