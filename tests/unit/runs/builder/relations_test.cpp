#include "runs/builder/relations.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "replay/timeline/interval.h"
#include "replay/timeline/totals.h"
#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

/// `name start+duration` of each event.
std::string stretches(const Timeline& t) {
  std::string out;
  for (EventIndex event = 0; event < t.size(); ++event)
    out += std::string(t.text(t.name[event])) + " " + std::to_string(t.startNs[event]) + "+" +
           std::to_string(t.durationNs[event]) + " ";
  return out;
}

}  // namespace

TEST_CASE("an operator has an event for each stretch in which no operator runs inside it") {
  Run run;
  run.op("linear", 1, 101);
  run.op("t", 10, 20);
  run.op("transpose", 11, 19);
  run.op("addmm", 30, 101);
  const Timeline t = run.finish();
  CHECK_FALSE(t.hasDevice);
  CHECK(stretches(t) == "linear 1+9 t 10+1 transpose 11+8 t 19+1 linear 20+10 addmm 30+71 ");
  CHECK(std::all_of(t.kind.begin(), t.kind.end(), [](EventKind kind) { return kind == EventKind::Operator; }));
  const HostEventId linear = findHost(t, "linear"), transpose = findHost(t, "transpose");
  for (const size_t which : {0, 1}) {
    CHECK(t.host->launch[find(t, "linear", which)] == linear);
    CHECK(t.host->launchOp[find(t, "linear", which)] == linear);
  }
  CHECK(around(t, find(t, "transpose"), EventKind::Operator) ==
        std::vector<HostEventId>{transpose, findHost(t, "t"), linear});
  CHECK(t.host->size() == 4);
  CHECK(t.problems.empty());
}

TEST_CASE("frames, annotations and calls of the device's runtime cut no stretch, and have none") {
  Run run;
  run.op("outer", 1, 100);
  run.module("nn.Module: M_0", 10, 90);
  run.add(EventKind::Frame, "forward", 20, 80);
  run.annotation("mark", 30, 70);
  run.call(1, 40, 50);
  const Timeline t = run.finish();
  CHECK(stretches(t) == "outer 1+99 ");
  CHECK(problemCount(t, "no-device-events") == 1);
}

TEST_CASE("an operator without a duration has no event and cuts none; one that its children fill has none either") {
  Run run;
  run.op("outer", 1, 100);
  run.op("instant", 50, 50);
  run.op("full", 200, 300);
  run.op("left", 200, 250);
  run.op("right", 250, 300);
  const Timeline t = run.finish();
  CHECK(stretches(t) == "outer 1+99 left 200+50 right 250+50 ");
  CHECK(t.host->size() == 5);
  CHECK(problemCount(t, "zero-duration") == 1);
  CHECK(problemCount(t, "overlap-on-stream") == 0);
}

TEST_CASE("an operator that is twice in the file takes its time once") {
  Run run;
  run.op("add", 1, 100);
  run.op("add", 1, 100);
  const Timeline t = run.finish();
  CHECK(stretches(t) == "add 1+99 ");
  CHECK(t.host->launch[0] == findHost(t, "add", 1));
}

TEST_CASE("of operators that cross, the one that began last is innermost") {
  Run run;
  run.op("a", 1, 100);
  run.op("crossing", 50, 150);
  run.op("inside", 60, 70);
  run.op("beyond", 140, 160);
  run.op("around", 200, 300);
  run.op("first", 210, 250);
  run.op("second", 240, 260);
  const Timeline t = run.finish();
  CHECK(stretches(t) ==
        "a 1+49 crossing 50+10 inside 60+10 crossing 70+70 beyond 140+20 "
        "around 200+10 first 210+30 second 240+20 around 260+40 ");
  CHECK(problemCount(t, "crossing-host-events") == 3);
}

TEST_CASE("threads run side by side; stretches are sorted by start, longer first") {
  Run run;
  const uint32_t first = run.host, second = run.builder.track("100", "200", false);
  run.host = second;
  run.op("short", 10, 20);
  run.op("tied", 30, 40);
  run.host = first;
  run.op("long", 10, 60);
  run.op("child", 30, 40);
  const Timeline t = run.finish();
  CHECK(stretches(t) == "long 10+20 short 10+10 tied 30+10 child 30+10 long 40+20 ");
  CHECK(timelineTotals(t).busy.totalNs == 50);
  CHECK(timelineTotals(t).device.totalNs == 70);
}

TEST_CASE("stretches are disjoint and busy time is the union of the operators, however they nest and cross") {
  uint32_t state = 1;
  const auto random = [&](int64_t limit) {
    state = state * 1664525 + 1013904223;
    return static_cast<int64_t>(state >> 8) % limit;
  };
  for (int round = 0; round < 50; ++round) {
    CAPTURE(round);
    Run run;
    std::vector<TimeInterval> operators;
    for (int i = 0; i < 60; ++i) {
      const int64_t startNs = 1 + random(300), endNs = startNs + random(round < 25 ? 40 : 4);
      run.op("op" + std::to_string(i), startNs, endNs);
      operators.push_back({startNs, endNs});
    }
    const Timeline t = run.finish();
    int64_t sumNs = 0;
    for (EventIndex event = 0; event < t.size(); ++event) {
      CHECK(t.durationNs[event] > 0);
      sumNs += t.durationNs[event];
      if (event == 0) continue;
      CHECK(t.startNs[event] >= t.endNs(event - 1));
      // Maximal: what goes on without a pause is of another operator.
      CHECK((t.startNs[event] > t.endNs(event - 1) || t.host->launch[event] != t.host->launch[event - 1]));
    }
    CHECK(sumNs == unionLength(operators));
  }
}

TEST_CASE("deep nesting keeps every operator's own time") {
  Run run;
  for (int64_t i = 0; i < 20000; ++i) run.op("op", i, 100001 - i);
  const Timeline t = run.finish();
  CHECK(t.size() == 2 * 20000 - 1);
  CHECK(timelineTotals(t).busy.totalNs == 100001);
  CHECK(timelineTotals(t).device.totalNs == 100001);
}

TEST_CASE("a stretch belongs to the iteration in which it starts") {
  Run run;
  run.annotation("ProfilerStep#1", 0, 100);
  run.annotation("ProfilerStep#2", 100, 200);
  run.op("long", 10, 150);
  run.op("child", 90, 110);
  run.op("after", 250, 260);
  const Timeline t = run.finish();
  CHECK(stretches(t) == "long 10+80 child 90+20 long 110+40 after 250+10 ");
  CHECK(t.iteration == std::vector<int32_t>{0, 0, 1, kNoIteration});
  CHECK(t.host->iteration[findHost(t, "long")] == 0);
  CHECK(problemCount(t, "outside-iterations") == 1);
}

TEST_CASE("operators that repeat are iterations, also where the clock hides self time") {
  Run run;
  for (int64_t copy = 0; copy < 3; ++copy) {
    const int64_t at = 1 + 1000 * copy;
    run.op("linear", at, at + 100);
    run.op("addmm", at + copy % 2, at + 100);  // the wrapper has self time in every second copy only
    run.op("relu", at + 102, at + 150);
  }
  const Timeline t = run.finish();
  REQUIRE(t.iterations.size() == 3);
  CHECK(t.iterations[0].name == "repeat 1");
  CHECK(t.iteration == std::vector<int32_t>{0, 0, 1, 1, 1, 2, 2});
  CHECK(t.host->iteration[findHost(t, "linear", 2)] == 2);
}

TEST_CASE("with a device no operator is an event") {
  Run run;
  run.op("aten::addmm", 10, 100);
  run.launch("gemm", 1, 20);
  CHECK(stretches(run.finish()) == "gemm 120+50 ");
}
