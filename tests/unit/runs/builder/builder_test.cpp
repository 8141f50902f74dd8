#include "runs/builder/builder.h"

#include <doctest/doctest.h>

#include "replay/timeline/time_limits.h"
#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

TEST_CASE("a kernel knows its launch, the operators around it and the modules around those") {
  Run run;
  run.kernel("gemm", 7, 500, 600);
  run.call(7, 30, 40);
  run.op("aten::addmm", 20, 50);
  run.op("aten::linear", 10, 60);
  run.module("nn.Module: Linear_0", 5, 70);
  run.module("nn.Module: Model_0", 0, 100);
  run.op("aten::add", 80, 90);
  const Timeline t = run.finish();
  const EventIndex gemm = find(t, "gemm");
  CHECK(t.host->launch[gemm] == findHost(t, "cudaLaunchKernel"));
  CHECK(t.host->launchOp[gemm] == findHost(t, "aten::addmm"));
  CHECK(around(t, gemm, EventKind::Operator) ==
        std::vector<HostEventId>{findHost(t, "aten::addmm"), findHost(t, "aten::linear")});
  CHECK(around(t, gemm, EventKind::ModuleFrame) ==
        std::vector<HostEventId>{findHost(t, "nn.Module: Linear_0"), findHost(t, "nn.Module: Model_0")});
  CHECK(t.host->parent[findHost(t, "aten::add")] == findHost(t, "nn.Module: Model_0"));
  CHECK(t.size() == 1);
  CHECK(t.host->size() == 6);
  CHECK(t.problems.empty());
}

TEST_CASE("one call launches all kernels of a graph; a correlation used again means the last call before the kernel") {
  Run run;
  run.call(1, 0, 10);
  run.kernel("a", 1, 20, 30);
  run.kernel("b", 1, 30, 40);
  run.call(1, 100, 110);
  run.kernel("c", 1, 120, 130);
  run.kernel("orphan", 9, 140, 150);
  const Timeline t = run.finish();
  CHECK(t.host->launch[find(t, "a")] == findHost(t, "cudaLaunchKernel", 0));
  CHECK(t.host->launch[find(t, "b")] == findHost(t, "cudaLaunchKernel", 0));
  CHECK(t.host->launch[find(t, "c")] == findHost(t, "cudaLaunchKernel", 1));
  CHECK(t.host->launch[find(t, "orphan")] == HostEventId());
  CHECK(problemCount(t, "no-launch") == 1);
}

TEST_CASE("a launch belongs to its own thread's operators") {
  Run run;
  run.op("aten::relu", 0, 100);
  run.host = run.builder.track("100", "200", false);
  run.call(3, 10, 15);
  run.kernel("k", 3, 200, 210);
  const Timeline t = run.finish();
  CHECK(t.host->launch[find(t, "k")] != HostEventId());
  CHECK(t.host->launchOp[find(t, "k")] == HostEventId());
}

TEST_CASE("equal intervals nest frame, operator, runtime call, and operators in the recorder's order") {
  Run run;
  run.call(1, 1000, 3000);
  run.op("outer", 1000, 3000);
  run.op("inner", 1000, 3000);
  run.module("nn.Module: M_0", 1000, 3000);
  const Timeline t = run.finish();
  CHECK(t.host->parent[findHost(t, "outer")] == findHost(t, "nn.Module: M_0"));
  CHECK(t.host->parent[findHost(t, "inner")] == findHost(t, "outer"));
  CHECK(t.host->parent[findHost(t, "cudaLaunchKernel")] == findHost(t, "inner"));
}

TEST_CASE("a clock of microseconds lets a child seem to end one unit after its parent, no more") {
  Run run;
  run.op("parent", 99000, 101000);
  run.op("child", 100000, 102000);
  run.op("next", 110000, 120000);
  run.op("crossing", 115000, 130000);
  run.op("late", 125000, 126000);
  const Timeline t = run.finish();
  CHECK(t.host->parent[findHost(t, "child")] == findHost(t, "parent"));
  CHECK(t.host->parent[findHost(t, "crossing")] == HostEventId());
  CHECK(t.host->parent[findHost(t, "late")] == findHost(t, "crossing"));
  CHECK(problemCount(t, "crossing-host-events") == 1);
}

TEST_CASE("an event that crosses its neighbours does not hide the frame around all of them") {
  Run run;
  run.module("nn.Module: M_0", 0, 1000001);
  run.op("a", 10, 100);
  run.op("crossing", 50, 150);
  run.op("b", 200, 300);
  const Timeline t = run.finish();
  CHECK(t.host->parent[findHost(t, "crossing")] == findHost(t, "nn.Module: M_0"));
  CHECK(t.host->parent[findHost(t, "b")] == findHost(t, "nn.Module: M_0"));
}

TEST_CASE("profiler steps enclose no events, because they cross Python frames") {
  Run run;
  run.annotation("ProfilerStep#1", 5, 100);
  run.op("aten::add", 10, 20);
  run.module("nn.Module: M_0", 0, 50);
  const Timeline t = run.finish();
  CHECK(t.host->parent[findHost(t, "aten::add")] == findHost(t, "nn.Module: M_0"));
  CHECK(problemCount(t, "crossing-host-events") == 0);
}

TEST_CASE("an event lies within the limit from its start to its end") {
  Run run;
  run.kernel("first", 1, -kMaxTimeNs, -kMaxTimeNs + 5);
  run.kernel("too early", 2, -kMaxTimeNs - 1, -kMaxTimeNs);
  run.kernel("last", 3, kMaxTimeNs - 5, kMaxTimeNs);
  run.kernel("too late", 4, kMaxTimeNs - 5, kMaxTimeNs + 1);
  const Timeline t = run.finish();
  CHECK(t.size() == 2);
  CHECK(problemCount(t, "time-out-of-range") == 2);
  CHECK(timeDefect(t) == "lengths of iterations add up to more than 2305843009213693952 ns");
}

TEST_CASE("one wild event does not displace the others") {
  const int64_t epochNs = 1'700'000'000'000'000'000;
  // By its length: a bit more than half of the limit, and the limit itself.
  for (const int64_t endNs : {kMaxTimeNs / 2 + 20000, kMaxTimeNs - 1}) {
    Run run;
    run.op("aten::wild", 5, endNs);
    for (int64_t i = 1; i <= 9; ++i) run.launch("k", i, 1000 * i);
    const Timeline t = run.finish();
    CHECK(t.size() == 9);
    CHECK(findHost(t, "aten::wild").isNone());
    CHECK(problemCount(t, "time-out-of-range") == 1);
  }
  // By its start: a device event before or after all others.
  for (const int64_t startNs : {-epochNs, int64_t{5}}) {
    Run run;
    run.kernel("wild", -1, startNs, startNs + 10);
    for (int64_t i = 1; i <= 9; ++i) run.launch("k", i, epochNs + 1000 * i);
    const Timeline t = run.finish();
    CHECK(t.size() == 9);
    CHECK(find(t, "wild") == kNoEvent);
    CHECK(problemCount(t, "time-out-of-range") == 1);
    CHECK(timeDefect(t).empty());
  }
}

TEST_CASE("the longest events are left out if the sum of durations is beyond the limit") {
  Run run;
  run.kernel("long", 1, 0, kMaxTimeNs / 2);
  run.kernel("longest", 2, 0, kMaxTimeNs / 2 + 1);
  run.kernel("short", 3, 0, 100);
  const Timeline t = run.finish();
  CHECK(t.size() == 2);
  CHECK(find(t, "longest") == kNoEvent);
}

TEST_CASE("deep nesting is bounded") {
  Run run;
  for (int64_t i = 0; i < 20000; ++i) run.op("op", i, 100001 - i);
  const Timeline t = run.finish();
  CHECK(problemCount(t, "nesting-too-deep") == 20000 - 4096);
}

TEST_CASE("a device event that is twice in the file counts once, with any events between its copies") {
  Run run;
  const uint32_t other = run.builder.track("0", "8", true);
  for (int copy = 0; copy < 3; ++copy) {
    run.stream = run.builder.track("0", "7", true);
    run.kernel("a", 1, 1000, 1050);
    run.stream = other;
    run.kernel("a", 2, 1000, 1050);
    run.kernel("b", 2, 1000, 1050);
  }
  run.kernel("a", 2, 1000, 1060);
  run.kernel("a", 3, 1000, 1050);
  const Timeline t = run.finish();
  CHECK(t.size() == 5);
  CHECK(problemCount(t, "duplicate-event") == 6);
  CHECK(t.text(t.name[0]) == "a");
  CHECK(t.durationNs[0] == 60);
}
