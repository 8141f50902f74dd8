#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "replay/timeline/totals.h"
#include "tests/unit/runs/trace/nsys_fixture.h"
#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

Timeline readExport(const Database& database, const TraceSelection& selection = StepSelection::All) {
  Read read = readText(database.bytes(), selection, "t.sqlite");
  REQUIRE_MESSAGE(read.timeline, read.reported);
  return std::move(*read.timeline);
}

std::string nameOf(const Timeline& t, EventIndex event) { return std::string(t.text(t.name[event])); }

/// `0/7` of an event.
std::string streamOf(const Timeline& t, EventIndex event) {
  const Track& track = t.tracks[t.track[event]];
  return track.process + "/" + track.thread;
}

/// Of the call that launched an event: `pid/tid name`.
std::string launchOf(const Timeline& t, EventIndex event) {
  const HostEventId launch = t.host->launch[event];
  if (launch.isNone()) return "";
  const Track& track = t.tracks[t.host->track[launch]];
  return fmt::format("{}/{} {}", track.process, track.thread, t.text(t.host->name[launch]));
}

constexpr const char* kCopies =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId "
    "INTEGER,"
    " correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);";
constexpr const char* kGraphs =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, "
    "streamId"
    " INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER, graphExecId INTEGER);";

}  // namespace

TEST_CASE("a kernel of an export has its name, times, stream, launch and launch facts") {
  NsightExport file;
  file.launch(1000, 42, 100, 0, 7, "void at::native::add<float>(int)");
  const Timeline t = readExport(file);
  CHECK(t.format == "nsys");
  CHECK(t.hasDevice);
  REQUIRE(t.size() == 1);
  CHECK(t.kind[0] == EventKind::Kernel);
  CHECK(nameOf(t, 0) == "void at::native::add<float>(int)");
  CHECK(t.startNs[0] == 1000);
  CHECK(t.durationNs[0] == 10);
  CHECK(t.correlation[0] == 42);
  CHECK(streamOf(t, 0) == "0/7");
  CHECK(launchOf(t, 0) == "100/100 cudaLaunchKernel");
  const LaunchFacts* facts = t.launchFactsOf(0);
  REQUIRE(facts != nullptr);
  CHECK((facts->grid[0] == 1 && facts->grid[1] == 2 && facts->grid[2] == 3));
  CHECK((facts->block[0] == 64 && facts->block[1] == 1 && facts->block[2] == 1));
  CHECK(facts->registers == 32);
  CHECK(facts->sharedMemoryBytes == 1536);
  CHECK(t.target.vendor == "nvidia");
  CHECK(t.target.runtime == "pytorch");
  CHECK(t.problems.empty());
}

TEST_CASE("copies and sets have the names that Kineto gives them, and their bytes") {
  NsightExport file;
  file.call(1, 1).call(11, 2).call(21, 3).call(31, 4, 100, "cuMemcpyHtoDAsync_v2").run(kCopies);
  const int64_t pid = nsightId(100);
  file.run(fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(5, 9, 0, 1, 7, 1, {0}, 64, 1, 1, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(15, 19, 0, 1, 7, 2, {0}, 32, 8, 2, 2);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(35, 39, 0, 1, 7, 4, {0}, 16, 99, NULL, 7);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,"
      " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER, memKind"
      " INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(25, 29, 0, 1, 7, 3, {0}, 0, 8, 2);",
      pid));
  const Timeline t = readExport(file);
  REQUIRE(t.size() == 4);
  CHECK(nameOf(t, 0) == "Memcpy HtoD (Pinned -> Device)");
  CHECK(nameOf(t, 1) == "Memcpy DtoD (Device -> Device)");
  CHECK(nameOf(t, 2) == "Memset (Device)");
  CHECK(nameOf(t, 3) == "Memcpy Unknown (Unknown -> Unknown)");
  CHECK(t.kind[0] == EventKind::Copy);
  CHECK(t.kind[2] == EventKind::Set);
  CHECK(t.launchFactsOf(0)->bytes == 64);
  CHECK(t.launchFactsOf(2)->bytes == 8);
  CHECK(launchOf(t, 3) == "100/100 cuMemcpyHtoDAsync_v2");
  CHECK(t.target.runtime.empty());
}

TEST_CASE("tables with a version in their name are found, and the newest is read") {
  NsightExport file;
  file.launch(1000, 1);
  file.run(
      "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO CUPTI_ACTIVITY_KIND_RUNTIME_V2;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V3 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V10 AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL_V10 SET end = 1500;"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_VIEW AS SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL;");
  const Timeline t = readExport(file);
  REQUIRE(t.size() == 1);
  CHECK(t.durationNs[0] == 500);
  CHECK(launchOf(t, 0) == "100/100 cudaLaunchKernel");
}

TEST_CASE("missing columns and tables are facts that are unknown") {
  Database file(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(shortName INTEGER, end INTEGER, start INTEGER);"
      "CREATE TABLE StringIds(id INTEGER, value TEXT); INSERT INTO StringIds VALUES(3, 'gemm');"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(3, 20, 10), (4, 40, 30);");
  const Timeline t = readExport(file);
  REQUIRE(t.size() == 2);
  CHECK(nameOf(t, 0) == "gemm");
  CHECK(nameOf(t, 1) == "unknown kernel");
  CHECK(t.launchFactsOf(0)->registers == -1);
  CHECK(t.launchFactsOf(0)->sharedMemoryBytes == -1);
  CHECK(problemCount(t, "event-without-name") == 1);
  CHECK(problemCount(t, "no-launch") == 2);
}

TEST_CASE("equal correlations of two processes are two launches") {
  NsightExport file;
  file.launch(1000, 5, 100, 0, 7).launch(1001, 5, 200, 1, 7);
  const Timeline t = readExport(file);
  REQUIRE(t.size() == 1);
  CHECK(t.devices == std::vector<std::string>{"0", "1"});
  CHECK(t.device == "0");
  CHECK(launchOf(t, 0) == "100/100 cudaLaunchKernel");
  CHECK(streamOf(t, 0) == "0/7");
  TraceSelection second = StepSelection::All;
  second.device = "1";
  const Timeline other = readExport(file, second);
  REQUIRE(other.size() == 1);
  CHECK(launchOf(other, 0) == "200/200 cudaLaunchKernel");
  CHECK(t.correlation[0] != other.correlation[0]);
  CHECK(streamOf(other, 0) == "1/7");
  CHECK(problemCount(other, "other-device") == 1);
}

TEST_CASE("a kernel without a process is of the only process that has calls") {
  NsightExport file;
  file.launch(1000, 5, 100).run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL");
  CHECK(launchOf(readExport(file), 0) == "100/100 cudaLaunchKernel");
  file.call(2000, 5, 200);
  CHECK(launchOf(readExport(file), 0).empty());
}

TEST_CASE("equal correlations do not make two kernels duplicates of each other") {
  NsightExport file;
  file.launch(1000, 5, 100, 0, 7).launch(1000, 5, 200, 0, 7);
  const Timeline t = readExport(file);
  CHECK(t.size() == 2);
  CHECK(problemCount(t, "duplicate-event") == 0);
}

TEST_CASE("processes that call different devices by one number are told apart by the report's table of devices") {
  NsightExport file;
  file.launch(1000, 5, 100, 0, 7).launch(1000, 5, 200, 0, 7).launch(1020, 6, 200, 0, 7);
  SUBCASE("with the table") {
    file.run(
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES(3, 0, 100), (1, 0, 200);"
        "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT, computeMajor INTEGER, computeMinor INTEGER);"
        "INSERT INTO TARGET_INFO_GPU VALUES(3, 'NVIDIA A100', 8, 0), (1, 'NVIDIA H100', 9, 0);");
    const Timeline t = readExport(file);
    CHECK(t.devices == std::vector<std::string>{"1", "3"});
    CHECK(streamOf(t, 0) == "1/7");
    CHECK(t.target.device == "NVIDIA H100");
    CHECK(t.target.arch == "sm_90");
    TraceSelection other = StepSelection::All;
    other.device = "3";
    const Timeline shorter = readExport(file, other);
    CHECK(streamOf(shorter, 0) == "3/7");
    CHECK(shorter.target.device == "NVIDIA A100");
    CHECK(shorter.target.arch == "sm_80");
    CHECK(problemCount(t, "shared-device-number") == 0);
  }
  SUBCASE("without it their streams are still apart, and that is said") {
    const Timeline t = readExport(file);
    CHECK(streamOf(t, 0) == "0/7 (process 100, context 1)");
    CHECK(streamOf(t, 1) == "0/7 (process 200, context 1)");
    CHECK(problemCount(t, "shared-device-number") == 1);
    CHECK(problemCount(t, "overlap-on-stream") == 0);
  }
}

TEST_CASE("streams of equal numbers in two contexts are two streams") {
  NsightExport file;
  file.launch(1000, 5).launch(1005, 6).run(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET contextId = 2 WHERE correlationId = 6");
  const Timeline t = readExport(file);
  CHECK(streamOf(t, 0) == "0/7 (process 100, context 1)");
  CHECK(streamOf(t, 1) == "0/7 (process 100, context 2)");
  CHECK(problemCount(t, "overlap-on-stream") == 0);
}

TEST_CASE(
    "the kernels of a CUDA graph count if they are recorded, and the launch that is recorded as a whole does not") {
  NsightExport file;
  file.call(1, 1, 100, "cudaGraphLaunch_v10000").call(21, 2, 100, "cudaGraphLaunch_v10000").launch(50, 3).run(kGraphs);
  file.run(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES(5, 15, 0, 1, 7, 1, {0}, 12, 3),"
                  " (25, 35, 0, 1, 7, 2, {0}, NULL, 3)",
                  nsightId(100)));
  file.run(
      fmt::format("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId,"
                  " globalPid, graphNodeId) VALUES(6, 9, 0, 1, 7, 1, {0}, 100), (10, 14, 0, 1, 7, 1, {0}, 101)",
                  nsightId(100)));
  const Timeline t = readExport(file);
  CHECK(t.size() == 4);
  CHECK(problemCount(t, "whole-graph") == 1);
  CHECK(launchOf(t, 0) == "100/100 cudaGraphLaunch");
  CHECK(launchOf(t, 1) == "100/100 cudaGraphLaunch");
}

TEST_CASE("waits are no work") {
  NsightExport file;
  file.launch(1000, 5).run(
      fmt::format("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER, end INTEGER, deviceId INTEGER, "
                  "contextId INTEGER,"
                  " streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(1000, 2000, 3, 1, 7, 6, {}, 3)",
                  nsightId(100)));
  const Timeline t = readExport(file);
  CHECK(t.size() == 1);
  CHECK(timelineTotals(t).busy.totalNs == 10);
  bool found = false;
  for (const HostEventId event : t.host->kind.ids()) {
    if (t.host->kind[event] != EventKind::Synchronization) continue;
    found = true;
    CHECK(t.text(t.host->name[event]) == "Stream Sync");
    // Nsight writes another device than that of the stream's context (3 for 0).
    CHECK(t.host->track[event] == t.track[0]);
  }
  CHECK(found);
}

TEST_CASE("repeated ranges are iterations, and operators nest in them") {
  NsightExport file;
  for (int step = 0; step < 3; ++step) {
    const int64_t at = 1000 * (step + 1);
    file.range(at, at + 900, fmt::format("step, op_id = {}", 100 * step + 1))
        .range(at + 10, at + 90, fmt::format("aten::linear, op_id = {}", 100 * step + 2))
        .range(at + 20, at + 80,
               fmt::format("aten::addmm, seq = {}, op_id = {}, sizes = [[8], [4, 8], [8, 8]]", step, 100 * step + 3))
        .launch(at + 50, step + 1);
  }
  const Timeline t = readExport(file, StepSelection::Auto);
  CHECK(t.iterationNames(LeftOut::None) == std::vector<std::string>{"step (2)", "step (3)"});
  CHECK(t.iterationNames(LeftOut::WarmUp) == std::vector<std::string>{"step (1)"});
  CHECK(timelineTotals(t).window->medianNs == 900);
  REQUIRE(t.size() == 3);
  const std::vector<HostEventId> chain = around(t, 1, EventKind::Operator);
  REQUIRE(chain.size() == 2);
  CHECK(t.text(t.host->name[chain[0]]) == "aten::addmm");
  CHECK(t.text(t.host->name[chain[1]]) == "aten::linear");
  const OperatorFacts* facts = t.host->operatorFactsOf(chain[0]);
  REQUIRE(facts != nullptr);
  CHECK(t.host->sequenceNumber[chain[0]] == 1);
  CHECK(facts->inputDims == std::vector<std::vector<int64_t>>{{8}, {4, 8}, {8, 8}});
  CHECK(t.target.runtime == "pytorch");
}

TEST_CASE("start and end ranges and registered texts are annotations; marks are not, and open ranges are counted") {
  NsightExport file;
  file.launch(1000, 1);
  file.range(900, 1100, "", 100, 60).range(910, 910, "mark", 100, 34).range(920, 930, "opened", 100, 35);
  file.run(
      fmt::format("UPDATE NVTX_EVENTS SET text = NULL, textId = {} WHERE eventType = 60;"
                  "UPDATE NVTX_EVENTS SET end = NULL WHERE eventType = 35",
                  file.name("registered")));
  const Timeline t = readExport(file);
  CHECK(t.iterations[0].name == "registered");
  CHECK(problemCount(t, "unfinished-range") == 1);
  int annotations = 0;
  for (const HostEventId event : t.host->kind.ids()) annotations += t.host->kind[event] == EventKind::Annotation;
  CHECK(annotations == 1);
}

TEST_CASE("values of wrong types, missing times and odd names are counted, not read") {
  NsightExport file;
  file.launch(1000, 1).launch(2000, 2).launch(3000, 3).launch(4000, 4);
  file.run(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE correlationId = 1;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL WHERE correlationId = 2;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET registersPerThread = 1.5, correlationId = 1 << 40 WHERE correlationId = 3;"
      "UPDATE StringIds SET value = CAST(x'6BFF00' AS TEXT) WHERE value = 'kernel'");
  const Timeline t = readExport(file);
  REQUIRE(t.size() == 2);
  CHECK(problemCount(t, "incomplete-event") == 2);
  CHECK(problemCount(t, "value-of-another-type") == 2);
  CHECK(problemCount(t, "impossible-correlation") == 1);
  CHECK(problemCount(t, "name-not-utf-8") == 1);
  CHECK(nameOf(t, 0) == std::string("k?\0", 3));
  CHECK(t.launchFactsOf(0)->registers == -1);
}

TEST_CASE("times that overflow are left out, also in differences") {
  NsightExport file;
  file.launch(1000, 1).launch(2000, 2).launch(3000, 3).launch(4000, 4).launch(5000, 5);
  file.run(
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = -9223372036854775807, end = 9223372036854775807 WHERE "
      "correlationId = 1;"
      "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 0 WHERE correlationId = 2;");
  const Timeline t = readExport(file);
  CHECK(t.size() == 4);
  CHECK(problemCount(t, "time-out-of-range") == 1);
  CHECK(problemCount(t, "negative-duration") == 1);
}

TEST_CASE("a file without CUDA activity says so") {
  NsightExport file;
  file.range(10, 90, "aten::add, op_id = 1");
  const Timeline t = readExport(file);
  CHECK_FALSE(t.hasDevice);
  CHECK(problemCount(t, "no-cuda-activity") == 1);
}
