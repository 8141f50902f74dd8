#include "runs/captures/attach.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

/// A trace of captures. Each launch has an operator of its own, which has the name of the kernel with a `c` before it.
struct CaptureRun : Run {
  int64_t ns = 0;
  uint32_t events = 0;

  void call(std::string_view name, int64_t correlation = -1) {
    RawEvent event;
    event.kind = EventKind::Runtime;
    event.name = name;
    event.startNs = ns;
    event.durationNs = 1;
    event.track = host;
    event.correlation = correlation;
    event.fileEvent = events++;
    builder.add(event);
    ns += 10;
  }
  void launch(std::string_view kernel, std::string_view stream = "", int64_t grid = -1,
              std::string_view name = "hipLaunchKernel", int64_t block = -1) {
    op("c::" + std::string(kernel), ns, ns + 5);
    LaunchFacts facts;
    facts.grid[0] = grid;
    if (grid >= 0) facts.grid[1] = facts.grid[2] = 1;
    for (int64_t& size : facts.block) size = block > 0 ? 1 : -1;
    facts.block[0] = block;
    builder.statedLaunch(events, kernel, stream, facts);
    call(name, events);
  }
  void begin() { call("hipStreamBeginCapture"); }
  void end() { call("hipStreamEndCapture"); }
};

/// A run that launches a graph; its kernels are on `stream`, 10 ns each, in order.
struct GraphRun : Run {
  int64_t ns = 100;
  GraphRun() { add(EventKind::Runtime, "hipGraphLaunch", 0, 10, 1); }
  void kernel(std::string_view name, std::string_view onStream = "7", int64_t grid = -1, int64_t block = -1) {
    LaunchFacts facts;
    facts.grid[0] = grid;
    if (grid >= 0) facts.grid[1] = facts.grid[2] = 1;
    for (int64_t& size : facts.block) size = block > 0 ? 1 : -1;
    facts.block[0] = block;
    RawEvent event;
    event.kind = EventKind::Kernel;
    event.name = name;
    event.startNs = ns;
    event.durationNs = 10;
    event.track = builder.track("0", onStream, true);
    event.correlation = 1;
    event.facts = builder.facts(facts);
    builder.add(event);
    ns += 10;
  }
};

/// The captured operator of each device event, or `-`; or the error.
std::string attached(GraphRun& run, CaptureRun& captured) {
  Timeline timeline = run.finish(), capture = captured.finish();
  std::string message;
  DiagnosticEngine diagnostics([&](const Diagnostic& one) { message += one.message; });
  if (!captures::isOfCaptures(capture)) return "no capture";
  if (!captures::attachCaptures(timeline, std::span(&capture, 1), diagnostics)) return message;
  std::string out = message;
  for (const HostEventId op : timeline.captured->launchOp)
    out += std::string(op.isNone() ? "-" : timeline.text(timeline.captured->name[op])) + " ";
  return out;
}

}  // namespace

TEST_CASE("kernels of several streams are compared in each stream if the capture states streams") {
  const auto of = [](std::string_view a, std::string_view b) {
    CaptureRun capture;
    capture.begin();
    for (const std::string_view kernel : {"x", "y", "z"}) capture.launch(kernel, a);
    for (const std::string_view kernel : {"y", "x", "z"}) capture.launch(kernel, b);
    capture.end();
    GraphRun run;
    for (const std::string_view kernel : {"y", "x", "z"}) run.kernel(kernel, "8");
    for (const std::string_view kernel : {"x", "y", "z"}) run.kernel(kernel, "7");
    return attached(run, capture);
  };
  CHECK(of("0x2", "0x3") == "c::y c::x c::z c::x c::y c::z ");
  CHECK(of("", "").find("at most 4 of 6 launches of a capture agree") != std::string::npos);
}

TEST_CASE("a grid is in blocks, or in threads if the call counts these") {
  const auto of = [](int64_t grid, std::string_view call = "hipLaunchKernel", int64_t block = 32) {
    CaptureRun capture;
    capture.begin();
    capture.launch("x", "", grid, call, block);
    capture.end();
    GraphRun run;
    run.kernel("x", "7", 6, 32);
    return attached(run, capture);
  };
  CHECK(of(6) == "c::x ");
  CHECK(of(-1) == "c::x ");
  constexpr std::string_view kInThreads = "hipExtModuleLaunchKernel";
  CHECK(of(6 * 32, kInThreads) == "c::x ");
  // Nothing tells how many blocks these are.
  CHECK(of(6, kInThreads, -1) == "c::x ");
  for (const std::string& other : {of(7), of(6 * 32), of(7 * 32, kInThreads)})
    CHECK(other.find("1 agree but for their grids") != std::string::npos);
}

TEST_CASE("what is launched outside of captures, or has device events, is not captured") {
  CaptureRun capture;
  capture.launch("before");
  capture.begin();
  capture.launch("x");
  capture.call("cudaLaunchHostFunc_v10000", 900);
  capture.call("hipLaunchKernel", 901);
  capture.kernel("real", 901, capture.ns + 50, capture.ns + 60);
  capture.end();
  capture.launch("after");
  const Timeline timeline = capture.finish();
  REQUIRE(timeline.host->capturedLaunches.size() == 1);
  CHECK(timeline.text(timeline.host->capturedLaunches.front().kernel) == "x");
  CHECK(captures::isOfCaptures(timeline));
  CHECK_FALSE(captures::isOfLittleElse(timeline));
}

TEST_CASE("captures with equal kernels and other operators are not told apart") {
  CaptureRun capture;
  for (const bool isFirst : {true, false}) {
    capture.begin();
    if (isFirst) capture.op("other::x", capture.ns - 1, capture.ns + 8);
    capture.launch("x");
    capture.end();
  }
  GraphRun run;
  run.kernel("x");
  CHECK(attached(run, capture) == "- ");
}

TEST_CASE("a graph finds its capture among many, and the capture has the name of the innermost annotation") {
  CaptureRun capture;
  for (int i = 0; i < 20; ++i) {
    const int64_t startNs = capture.ns;
    capture.add(EventKind::Annotation, "outer", startNs, startNs + 500);
    capture.add(EventKind::Annotation, "batch " + std::to_string(i), startNs + 1, startNs + 499);
    capture.add(EventKind::Annotation, "before", startNs + 2, startNs + 5);
    capture.ns += 10;
    capture.begin();
    for (int kernel = 0; kernel < 9; ++kernel) capture.launch("k" + std::to_string(i) + "_" + std::to_string(kernel));
    capture.launch("of this capture");
    capture.end();
    capture.ns = startNs + 600;
  }
  GraphRun run;
  run.kernel("of this run");
  for (int kernel = 0; kernel < 9; ++kernel) run.kernel("k13_" + std::to_string(kernel));
  Timeline timeline = run.finish(), captured = capture.finish();
  DiagnosticEngine diagnostics([](const Diagnostic&) {});
  REQUIRE(captures::attachCaptures(timeline, std::span(&captured, 1), diagnostics));
  REQUIRE(timeline.captures.size() == 1);
  CHECK(timeline.captures.front().name == "batch 13");
  CHECK(timeline.captures.front().events == 9);
}
