/// Each kind of wait in a run of a few events, with the answer worked out by hand. Each test fails without the rule
/// that it is about, because the change would then save nothing, or more than there is.
#include "replay/schedule/replay.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/schedule/run_builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

EventIndex eventOf(const Timeline& timeline, std::string_view name) {
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.text(timeline.name[event]) == name) return event;
  FAIL("no event " << name);
  return kNoEvent;
}

/// The predicted wall time if the events of this name take `factor` of their time.
int64_t wallWith(const Timeline& timeline, std::string_view name, Rational factor) {
  const RunModel model(timeline);
  Changes changes;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    changes.events.push_back(timeline.text(timeline.name[event]) == name ? factor : Rational{1, 1});
  return replay(model, changes).wallNs;
}

int64_t wallOf(const Timeline& timeline) { return replay(RunModel(timeline)).wallNs; }

}  // namespace

TEST_CASE("an event starts a launch latency after its call, or a turn-around after the one before it") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 115 * us}, 1);
  run.launch({6 * us, 11 * us}, 2);
  run.kernel("b", {117 * us, 127 * us}, 2);
  run.launch({200 * us, 205 * us}, 3);
  run.kernel("c", {215 * us, 225 * us}, 3);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 210 * us);
  // a ends at 65; b from 67 to 77; the host launches c as before.
  const RunModel model(timeline);
  Changes changes;
  changes.events = {{1, 2}, {1, 1}, {1, 1}};
  const ReplayedRun half = replay(model, changes);
  CHECK(half.startNs == std::vector<int64_t>{15 * us, 67 * us, 215 * us});
  CHECK(half.endNs == std::vector<int64_t>{65 * us, 77 * us, 225 * us});
  // a ends at 315, after the host is done.
  CHECK(wallWith(timeline, "a", {3, 1}) == (315 + 2 + 10 + 2 + 10 - 15) * us);
}

TEST_CASE("an event that starts inside a long launch follows its beginning") {
  RunBuilder run;
  run.launch({0, 1'000 * us}, 1);
  run.kernel("first", {12 * us, 22 * us}, 1);
  run.launch({1'100 * us, 1'105 * us}, 2);
  run.kernel("b", {1'117 * us, 1'127 * us}, 2);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 1'115 * us);
  // The host is 1047 behind, and the first event 12 after the call.
  const RunModel model(timeline);
  Changes changes;
  changes.host = {2, 1};
  CHECK(replay(model, changes).startNs[0] == 12 * us);
  CHECK(replay(model, changes).startNs[1] == (2 * 1'105 + 12) * us);
}

TEST_CASE("a call that waits for the device ends as long after the work as it did") {
  for (const char* const name : {"cudaDeviceSynchronize", "cudaStreamSynchronize"}) {
    CAPTURE(name);
    RunBuilder run;
    run.launch({0, 5 * us}, 1);
    run.kernel("a", {15 * us, 115 * us}, 1);
    run.call(name, {10 * us, 120 * us});
    run.launch({200 * us, 205 * us}, 2);
    run.kernel("b", {215 * us, 225 * us}, 2);
    const Timeline timeline = run.finish();
    CHECK(wallOf(timeline) == 210 * us);
    // The call ends at 65 + 5, and the launch of b is 50 earlier.
    CHECK(wallWith(timeline, "a", {1, 2}) == 160 * us);
    // Without any work it ends 5 after the event would have ended, at 20, and not before its start.
    CHECK(wallWith(timeline, "a", {0, 1}) == 110 * us);
  }
}

TEST_CASE("a wait for an event is over when the work before its record is") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 115 * us}, 1);
  run.call("cudaEventRecord", {6 * us, 7 * us}, 2);
  run.launch({8 * us, 13 * us}, 3);
  run.kernel("after", {117 * us, 417 * us}, 3);
  run.call("cudaEventSynchronize", {20 * us, 120 * us}, 4);
  run.launch({500 * us, 505 * us}, 5);
  run.kernel("b", {515 * us, 525 * us}, 5);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 510 * us);
  CHECK(wallWith(timeline, "a", {1, 2}) == 460 * us);
  // What was launched after the record is not waited for.
  CHECK(wallWith(timeline, "after", {1, 2}) == 510 * us);
}

TEST_CASE("what a trace states of a wait for an event counts, and not the last record") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 115 * us}, 1);
  run.call("cudaEventRecord", {6 * us, 7 * us}, 2);
  run.launch({8 * us, 13 * us}, 3);
  run.kernel("after", {117 * us, 118 * us}, 3);
  run.call("cudaEventRecord", {14 * us, 15 * us}, 4);
  run.call("cudaEventSynchronize", {20 * us, 122 * us}, 5);
  run.stated("Event Sync", {20 * us, 122 * us}, 5, {-1, 7, 2});
  run.launch({500 * us, 505 * us}, 6);
  run.kernel("b", {515 * us, 525 * us}, 6);
  const Timeline timeline = run.finish();
  // It waited for a, with a return of 7: after's tenfold length changes nothing.
  CHECK(wallWith(timeline, "after", {10, 1}) == wallOf(timeline));
}

TEST_CASE("a copy of memory that is not pinned holds its call") {
  RunBuilder run;
  run.call("cudaMemcpyAsync", {0, 110 * us}, 1);
  run.copy("Memcpy HtoD (Pageable -> Device)", {8 * us, 108 * us}, 1);
  run.launch({200 * us, 205 * us}, 2);
  run.kernel("b", {215 * us, 225 * us}, 2);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 217 * us);
  CHECK(wallWith(timeline, "Memcpy HtoD (Pageable -> Device)", {1, 2}) == 167 * us);
}

TEST_CASE("a copy of pinned memory that ends inside its call holds it, too, and one that ends later does not") {
  for (const bool ends : {true, false}) {
    CAPTURE(ends);
    RunBuilder run;
    run.call("cudaMemcpyAsync", {0, ends ? 127 * us : 20 * us}, 1);
    run.copy("Memcpy HtoD (Pinned -> Device)", {25 * us, 125 * us}, 1);
    run.launch({200 * us, 205 * us}, 2);
    run.kernel("b", {210 * us, 220 * us}, 2);
    const Timeline timeline = run.finish();
    CHECK(wallOf(timeline) == 195 * us);
    CHECK(wallWith(timeline, "Memcpy HtoD (Pinned -> Device)", {1, 2}) == (ends ? 145 : 195) * us);
  }
}

TEST_CASE("a launch waits for room in the queue of its stream") {
  // 1021 launches of 1 us fill the queue behind a long kernel; then each launch waits until another kernel has started.
  RunBuilder run;
  const int queue = 1021, launches = 1100;
  int64_t hostNs = 0, freeNs = 0;
  std::vector<int64_t> starts;
  for (int i = 0; i < launches; ++i) {
    const int64_t beginNs = hostNs;
    hostNs += us;
    if (i >= queue) hostNs = std::max(hostNs, starts[static_cast<size_t>(i - queue)]);
    const int64_t ns = i == 0 ? 5'000 * us : 20 * us;
    const int64_t startNs = i == 0 ? hostNs + 5 * us : std::max(freeNs + us, hostNs + 5 * us);
    run.launch({beginNs, hostNs}, i + 1);
    run.kernel(i == 0 ? "long" : "short", {startNs, startNs + ns}, i + 1);
    starts.push_back(startNs);
    freeNs = startNs + ns;
    hostNs += us;
  }
  const int64_t lastCallNs = hostNs;
  run.step("ProfilerStep#0", {0, hostNs});
  const Timeline timeline = run.finish();
  const RunModel model(timeline);
  CHECK(model.waits.queueLength() == uint32_t{queue});
  const ReplayedRun same = replay(model);
  CHECK(*same.iterations[0].windowNs == lastCallNs);
  // With no device work the host is never held.
  Changes changes;
  changes.events.assign(timeline.size(), Rational{0, 1});
  CHECK(*replay(model, changes).iterations[0].windowNs == 2 * launches * us);
}

TEST_CASE("an event waits for another stream, as the trace states it or as the order of the run shows it") {
  for (const bool states : {true, false}) {
    CAPTURE(states);
    RunBuilder run;
    run.launch({0, 5 * us}, 1);
    run.kernel("a", {15 * us, 115 * us}, 1, "7");
    run.call("cudaEventRecord", {6 * us, 7 * us}, 2);
    run.call("cudaStreamWaitEvent", {8 * us, 9 * us}, 3);
    if (states) run.stated("Stream Wait Event", {8 * us, 9 * us}, 3, {20, 7, 2});
    run.launch({10 * us, 15 * us}, 4);
    run.kernel("b", {117 * us, 127 * us}, 4, "20");
    const Timeline timeline = run.finish();
    CHECK(wallOf(timeline) == 112 * us);
    CHECK(wallWith(timeline, "a", {1, 2}) == 62 * us);
    const RunModel model(timeline);
    CHECK(model.releases[eventOf(timeline, "b")].kind == Release::Kind::Source);
  }
}

TEST_CASE("a thread resumes when another one comes to rest") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1, "1");
  run.kernel("a", {15 * us, 115 * us}, 1);
  run.call("cudaDeviceSynchronize", {6 * us, 120 * us}, -1, "1");
  // The second thread was at rest until the first one was done.
  run.launch({-50 * us, -45 * us}, 2, "2");
  run.kernel("first", {-35 * us, -30 * us}, 2);
  run.launch({130 * us, 135 * us}, 3, "2");
  run.kernel("b", {145 * us, 155 * us}, 3);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 190 * us);
  CHECK(wallWith(timeline, "a", {1, 2}) == 140 * us);
}

TEST_CASE("the nodes of a graph follow one another, and those of another stream the one that had ended") {
  RunBuilder run;
  run.call("cudaGraphLaunch", {0, 10 * us}, 1);
  run.kernel("a", {20 * us, 120 * us}, 1, "7");
  run.kernel("fork", {122 * us, 132 * us}, 1, "20");
  run.kernel("b", {121 * us, 131 * us}, 1, "7");
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 112 * us);
  CHECK(wallWith(timeline, "a", {1, 2}) == 62 * us);
}

TEST_CASE("a node that a launch of a graph hands over late is as late in the replay") {
  RunBuilder run;
  for (int64_t launch = 0; launch < 4; ++launch) {
    const int64_t atNs = launch * 500 * us;
    run.call("cudaGraphLaunch", {atNs, atNs + 100 * us}, launch);
    run.kernel("a", {atNs + 30 * us, atNs + 40 * us}, launch);
    run.kernel("b", {atNs + 41 * us, atNs + 51 * us}, launch);
    run.kernel("c", {atNs + 76 * us, atNs + 86 * us}, launch);
  }
  CHECK(wallOf(run.finish()) == 1'556 * us);
}

TEST_CASE("the first event of a stream without a launch keeps its start; later ones follow it") {
  RunBuilder run;
  run.kernel("before", {0, 100 * us}, 91);
  run.kernel("then", {101 * us, 151 * us}, 92);
  run.launch({20 * us, 25 * us}, 1);
  run.kernel("a", {152 * us, 162 * us}, 1);
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 162 * us);
  CHECK(wallWith(timeline, "before", {1, 2}) == 112 * us);
}

TEST_CASE("an event without a launch that starts late follows the event of another stream that had just ended") {
  RunBuilder run;
  run.kernel("long", {0, 100 * us}, 91, "7");
  run.kernel("x", {0, 10 * us}, 92, "20");
  run.kernel("y", {102 * us, 152 * us}, 93, "20");
  run.launch({20 * us, 25 * us}, 1);
  run.kernel("a", {153 * us, 163 * us}, 1, "20");
  const Timeline timeline = run.finish();
  CHECK(wallOf(timeline) == 163 * us);
  CHECK(wallWith(timeline, "long", {1, 2}) == 113 * us);
}

TEST_CASE("the first event of a stream that waited for what is not in the trace keeps its start") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {1'000 * us, 1'010 * us}, 1);
  run.launch({6 * us, 11 * us}, 2);
  run.kernel("b", {1'011 * us, 1'021 * us}, 2);
  const Timeline timeline = run.finish();
  const RunModel model(timeline);
  CHECK(model.releases[eventOf(timeline, "a")].isCarriedIn);
  CHECK(replay(model, {}, {.keepsUnexplainedWaits = false}).startNs[0] == 1'000 * us);
}

TEST_CASE("a start that nothing explains is kept or left out") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 25 * us}, 1);
  run.launch({6 * us, 11 * us}, 2);
  run.kernel("b", {1'000 * us, 1'010 * us}, 2);
  const Timeline timeline = run.finish();
  const RunModel model(timeline);
  CHECK(model.releases[eventOf(timeline, "b")].unexplainedNs > 900 * us);
  CHECK(replay(model).wallNs == 995 * us);
  CHECK(replay(model, {}, {.keepsUnexplainedWaits = false}).wallNs < 50 * us);
}

TEST_CASE("stretches of the host have factors of their own") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 25 * us}, 1);
  run.op("aten::linear", {50 * us, 150 * us});
  run.launch({200 * us, 205 * us}, 2);
  run.kernel("b", {215 * us, 225 * us}, 2);
  const Timeline timeline = run.finish();
  const RunModel model(timeline);
  Changes changes;
  changes.stretches = {{0, 50 * us, 150 * us, {1, 2}}};
  CHECK(replay(model, changes).wallNs == 160 * us);
  changes.host = {2, 1};
  // 45 + 50 of the host before and after the operator take twice as long, and so do both calls.
  CHECK(replay(model, changes).wallNs == (210 - 50 + 45 + 50 + 5) * us);
}
