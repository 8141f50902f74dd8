#include "schedule/hta_path.h"

#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <utility>

#include "tests/unit/trace/trace_fixture.h"
#include "timeline/builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

using Kind = HtaPiece::Kind;
using Piece = std::tuple<Kind, std::string, int64_t>;
using Pieces = std::vector<Piece>;

/// A run in whole microseconds; events are in the file in the order in which they are added.
struct HostRun {
  TimelineBuilder builder;
  uint32_t fileEvent = 0;
  int64_t correlation = 0;

  void add(EventKind kind, const std::string& name, uint32_t track, int64_t startNs, int64_t endNs,
           int64_t correlated = -1, uint32_t facts = kNoFacts) {
    RawEvent event;
    event.kind = kind;
    event.name = name;
    event.track = track;
    event.startNs = startNs;
    event.durationNs = endNs - startNs;
    event.correlation = correlated;
    event.facts = facts;
    event.fileEvent = fileEvent++;
    builder.add(event);
  }
  uint32_t thread(const std::string& number) { return builder.track("1", number, false); }
  uint32_t stream(int64_t number) { return builder.track("0", std::to_string(number), true); }

  void op(const std::string& name, int64_t startUs, int64_t endUs, const std::string& onThread = "1") {
    add(EventKind::Operator, name, thread(onThread), startUs * 1000, endUs * 1000);
  }
  int64_t call(const std::string& name, int64_t startUs, int64_t endUs, const std::string& onThread = "1") {
    add(EventKind::Runtime, name, thread(onThread), startUs * 1000, endUs * 1000, ++correlation);
    return correlation;
  }
  void kernel(const std::string& name, int64_t onStream, int64_t launch, int64_t startUs, int64_t endUs) {
    add(EventKind::Kernel, name, stream(onStream), startUs * 1000, endUs * 1000, launch);
  }
  /// How the device waited for the last call.
  void wait(const std::string& name, const WaitFacts& facts, int64_t startUs, int64_t endUs) {
    add(EventKind::Synchronization, name, stream(facts.stream), startUs * 1000, endUs * 1000, correlation,
        builder.facts(facts));
  }
  Timeline finish() { return builder.finish({}); }
};

Pieces piecesOf(const Timeline& timeline, const HtaPath& path) {
  Pieces pieces;
  for (const HtaPiece& piece : path.pieces)
    pieces.emplace_back(piece.kind, std::string(timeline.text(piece.name)), piece.us);
  return pieces;
}

void checkPath(const Timeline& timeline, int64_t lengthUs, const Pieces& pieces) {
  const HtaResult result = htaPath(timeline, {});
  REQUIRE(result.path);
  CHECK(result.fault == HtaFault::None);
  CHECK(result.path->lengthUs.toString() == std::to_string(lengthUs));
  CHECK(piecesOf(timeline, *result.path) == pieces);
}

/// In microseconds, as `Rational::toString`.
std::string lengthOf(const Timeline& timeline, const HtaScope& scope = {}, const Rational& deviceFactor = {1, 1}) {
  const HtaResult result = htaPath(timeline, scope, deviceFactor);
  REQUIRE(result.path);
  return result.path->lengthUs.toString();
}

}  // namespace

TEST_CASE("paths of recorded traces are those of HolisticTraceAnalysis") {
  struct Expected {
    std::string file, annotation;
    size_t instance;
    int64_t lengthUs, hostUs, deviceUs, gapUs, launchUs;
    size_t nodes, events, waitEdges;
    /// With every device event twice as fast.
    std::string halvedUs;
  };
  const std::string forward = "[param|pytorch.model.alex_net|0|0|0|measure|forward]";
  const Expected all[] = {
      {"hta/simple_add", forward, 1, 241724, 241190, 508, 9, 17, 315, 159, 2, "241697"},
      {"hta/alexnet", forward, 1, 35834, 32042, 3712, 50, 30, 149, 77, 5, "69711/2"},
      {"hta/event_sync", "ProfilerStep", 0, 2411, 2365, 36, 0, 10, 40, 21, 4, "2393"},
      {"hta/event_sync_multi_stream", "", 0, 1178, 1025, 124, 15, 14, 59, 31, 6, "1116"},
      // Of clocks that count nanoseconds.
      {"h100/bert-small", "", 0, 2053, 2006, 40, 0, 7, 669, 336, 0, "2033"},
      {"h100/vit-base", "", 0, 4591, 4584, 0, 0, 7, 1687, 845, 0, "4591"},
      // Of HIP.
      {"mi300/bert-small", "", 0, 2034, 1776, 10, 230, 18, 637, 320, 0, "2029"},
      {"mi300/vit-base", "ProfilerStep", 0, 4472, 4424, 10, 17, 21, 1555, 779, 0, "4467"},
  };
  for (const Expected& expected : all) {
    const auto bytes = sharedFile("traces/" + expected.file + ".json.gz");
    if (!bytes) continue;
    CAPTURE(expected.file);
    const Read read = readText(*bytes);
    REQUIRE(read.timeline);
    const HtaScope scope = {expected.annotation, expected.instance};
    const HtaResult result = htaPath(*read.timeline, scope);
    REQUIRE(result.path);
    const HtaPath& path = *result.path;
    CHECK(path.lengthUs.toString() == std::to_string(expected.lengthUs));
    CHECK(path.hostUs == expected.hostUs);
    CHECK(path.deviceUs == expected.deviceUs);
    CHECK(path.gapUs == expected.gapUs);
    CHECK(path.launchUs == expected.launchUs);
    CHECK(path.nodes == expected.nodes);
    CHECK(path.events == expected.events);
    CHECK(path.waitEdges == expected.waitEdges);
    int64_t sumUs = 0;
    for (const HtaPiece& piece : path.pieces) sumUs += piece.us;
    CHECK(sumUs == expected.lengthUs);
    CHECK(lengthOf(*read.timeline, scope, {1, 2}) == expected.halvedUs);
  }
}

TEST_CASE("on one thread the path is the operators, without the time between those at the top") {
  HostRun run;
  run.op("a", 0, 10);
  run.op("b", 2, 5);
  run.op("c", 20, 24);
  const Timeline t = run.finish();
  checkPath(t, 14, {{Kind::Host, "a", 2}, {Kind::Host, "b", 3}, {Kind::Host, "a", 5}, {Kind::Host, "c", 4}});
  CHECK(htaPath(t, {}).path->nodes == 6);
  CHECK(htaPath(t, {}).path->events == 3);
}

TEST_CASE("pieces of one name that follow each other are one") {
  HostRun run;
  run.op("a", 0, 10);
  run.op("a", 10, 20);
  checkPath(run.finish(), 20, {{Kind::Host, "a", 20}});
}

TEST_CASE("starts are rounded up and ends down") {
  HostRun run;
  run.add(EventKind::Operator, "a", run.thread("1"), 500, 10'900);
  run.add(EventKind::Operator, "b", run.thread("1"), 20'100, 20'900);
  checkPath(run.finish(), 9, {{Kind::Host, "a", 9}});
}

TEST_CASE("an event on an idle stream follows its call") {
  HostRun run;
  run.op("a", 0, 65);
  run.kernel("k", 7, run.call("cudaLaunchKernel", 1, 3), 5, 20);
  run.kernel("l", 7, run.call("cudaLaunchKernel", 60, 62), 70, 100);
  checkPath(run.finish(), 100,
            {{Kind::Host, "a", 1},
             {Kind::Host, "cudaLaunchKernel", 2},
             {Kind::Host, "a", 57},
             {Kind::Launch, "l", 10},
             {Kind::Device, "l", 30}});
}

TEST_CASE("an event on a busy stream follows the one before it, but not after a long gap") {
  const auto path = [](int64_t startUs) {
    HostRun run;
    run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 1), 2, 50);
    run.kernel("l", 7, run.call("cudaLaunchKernel", 3, 5), startUs, startUs + 10);
    return run.finish();
  };
  checkPath(path(57), 67,
            {{Kind::Launch, "k", 2}, {Kind::Device, "k", 48}, {Kind::Gap, "l", 7}, {Kind::Device, "l", 10}});
  CHECK(lengthOf(path(1549)) == "1559");
  CHECK(lengthOf(path(1550)) == "50");
}

TEST_CASE("a stream is not idle when more has been launched before an event starts") {
  HostRun run;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 1), 5, 50);
  run.kernel("l", 7, run.call("cudaLaunchKernel", 3, 5), 57, 67);
  checkPath(run.finish(), 62, {{Kind::Device, "k", 45}, {Kind::Gap, "l", 7}, {Kind::Device, "l", 10}});
}

TEST_CASE("an event is after its call even if nothing else is before it") {
  HostRun run;
  run.op("a", 0, 30);
  // The call launches what no queue knows.
  run.kernel("k", 7, run.call("cudaGraphLaunch", 20, 22), 40, 90);
  checkPath(run.finish(), 70, {{Kind::Host, "a", 20}, {Kind::Device, "k", 50}});
}

TEST_CASE("a call that waits for a stream or the device has no time of its own, and ends after what it waits for") {
  const auto path = [](const std::string& call, const std::string& wait, int64_t stream) {
    HostRun run;
    run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 2), 5, 50);
    run.kernel("l", 20, run.call("cudaLaunchKernel", 3, 5), 10, 90);
    run.call(call, 6, 100);
    run.wait(wait, {stream, -1, -1}, 6, 95);
    run.op("a", 100, 200);
    return run.finish();
  };
  const Timeline ofStream = path("cudaStreamSynchronize", "Stream Sync", 7);
  checkPath(ofStream, 150, {{Kind::Launch, "k", 5}, {Kind::Device, "k", 45}, {Kind::Host, "a", 100}});
  CHECK(htaPath(ofStream, {}).path->waitEdges == 1);
  const Timeline ofDevice = path("cudaDeviceSynchronize", "Context Sync", -1);
  checkPath(
      ofDevice, 189,
      {{Kind::Host, "cudaLaunchKernel", 2}, {Kind::Launch, "l", 7}, {Kind::Device, "l", 80}, {Kind::Host, "a", 100}});
  CHECK(htaPath(ofDevice, {}).path->waitEdges == 2);
}

TEST_CASE("a call that waits for an event ends after what was launched before the record") {
  HostRun run;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 2), 4, 105);
  const int64_t record = run.call("cudaEventRecord", 3, 4);
  run.kernel("l", 7, run.call("cudaLaunchKernel", 5, 7), 105, 120);
  run.call("cudaEventSynchronize", 10, 123);
  run.wait("Event Sync", {-1, 7, record}, 10, 122);
  run.op("a", 125, 400);
  checkPath(run.finish(), 380, {{Kind::Launch, "k", 4}, {Kind::Device, "k", 101}, {Kind::Host, "a", 275}});
}

TEST_CASE("the next event of a waiting stream is after what was launched before the record") {
  // The call counts even if it takes no time.
  for (const int64_t waitEndUs : {12, 13}) {
    HostRun run;
    run.op("a", 0, 20);
    run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 2), 5, 105);
    run.kernel("m", 20, run.call("cudaLaunchKernel", 3, 4), 6, 10);
    const int64_t record = run.call("cudaEventRecord", 10, 11);
    run.call("cudaStreamWaitEvent", 12, waitEndUs);
    run.wait("Stream Wait Event", {20, 7, record}, 13, 14);
    run.kernel("l", 20, run.call("cudaLaunchKernel", 15, 17), 106, 116);
    const Timeline t = run.finish();
    // Neither the time since the call nor that since the event before counts.
    checkPath(t, 115, {{Kind::Launch, "k", 5}, {Kind::Device, "k", 100}, {Kind::Device, "l", 10}});
    CHECK(htaPath(t, {}).path->waitEdges == 1);
  }
}

TEST_CASE("a call waits once for an event, however often the trace says so") {
  HostRun run;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 2), 5, 50);
  run.call("cudaDeviceSynchronize", 6, 100);
  run.wait("Context Sync", {}, 6, 95);
  run.wait("Stream Sync", {7, -1, -1}, 6, 95);
  CHECK(htaPath(run.finish(), {}).path->waitEdges == 1);
}

TEST_CASE("a step against time takes none") {
  HostRun run;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 1), 2, 50);
  run.kernel("l", 7, run.call("cudaLaunchKernel", 3, 5), 40, 60);
  checkPath(run.finish(), 70, {{Kind::Launch, "k", 2}, {Kind::Device, "k", 48}, {Kind::Device, "l", 20}});
}

TEST_CASE("of several calls with one correlation the last launches") {
  HostRun run;
  run.op("a", 0, 20);
  run.call("cudaLaunchKernel", 0, 2);
  run.correlation = 0;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 10, 12), 15, 100);
  CHECK(lengthOf(run.finish()) == "95");
}

TEST_CASE("calls of several threads hold one lock, in the order of their ends") {
  HostRun run;
  run.call("cudaHostAlloc", 0, 30, "1");
  run.call("cudaLaunchKernel", 10, 45, "2");
  run.op("a", 50, 60, "2");
  const Timeline t = run.finish();
  checkPath(t, 40, {{Kind::Host, "cudaHostAlloc", 30}, {Kind::Host, "a", 10}});
  CHECK(htaPath(t, {}).path->nodes == 5);
  CHECK(htaPath(t, {}).path->events == 3);
}

TEST_CASE("the threads of the forward and of the backward pass count as one, if each is the only one") {
  HostRun run, several;
  for (HostRun* const each : {&run, &several}) {
    each->op("forward", 0, 10, "1");
    each->op("autograd::engine", 12, 30, "2");
  }
  several.op("autograd::engine", 12, 30, "3");
  CHECK(lengthOf(run.finish()) == "28");
  CHECK(lengthOf(several.finish()) == "18");
}

TEST_CASE("of paths of equal length the first is taken") {
  SUBCASE("to one end") {
    HostRun run;
    run.kernel("k", 20, run.call("cudaLaunchKernel", 0, 2), 5, 55);
    run.kernel("l", 7, run.call("cudaLaunchKernel", 2, 4), 10, 55);
    run.call("cudaDeviceSynchronize", 5, 60);
    run.wait("Context Sync", {}, 5, 59);
    run.op("a", 60, 70);
    checkPath(run.finish(), 65, {{Kind::Launch, "k", 5}, {Kind::Device, "k", 50}, {Kind::Host, "a", 10}});
  }
  SUBCASE("to several ends, by the numbers of threads") {
    HostRun run;
    run.op("a", 0, 10, "100");
    run.op("b", 0, 10, "9");
    checkPath(run.finish(), 10, {{Kind::Host, "b", 10}});
  }
}

TEST_CASE("a factor of the device moves the path") {
  HostRun run;
  run.op("a", 0, 100);
  run.kernel("k", 7, run.call("cudaLaunchKernel", 5, 7), 10, 130);
  const Timeline t = run.finish();
  CHECK(lengthOf(t) == "130");
  CHECK(lengthOf(t, {}, {5, 6}) == "110");
  CHECK(lengthOf(t, {}, {3, 2}) == "190");
  CHECK(lengthOf(t, {}, {1000, 1001}) == "130010/1001");
  CHECK(lengthOf(t, {}, {1, 2}) == "100");
  CHECK(lengthOf(t, {}, {0, 1}) == "100");
  const HtaResult faster = htaPath(t, {}, {5, 6});
  CHECK(std::pair(faster.path->hostUs, faster.path->deviceUs) == std::pair<int64_t, int64_t>(5, 120));
  CHECK(htaPath(t, {}, {INT64_MAX, 1}).fault == HtaFault::TooLong);
}

TEST_CASE("a scope has what starts in it on the host, and the device work of that") {
  HostRun run;
  run.add(EventKind::Annotation, "step 1", run.thread("1"), 0, 20'000);
  run.op("a", 0, 20);
  run.add(EventKind::Annotation, "step 2", run.thread("1"), 30'000, 40'000);
  run.op("b", 30, 38);
  run.kernel("k", 7, run.call("cudaLaunchKernel", 35, 37), 50, 150);
  run.op("c", 41, 1000);
  const Timeline t = run.finish();
  CHECK(lengthOf(t, {"step", 0}) == "20");
  CHECK(lengthOf(t, {"step", 1}) == "120");
  CHECK(lengthOf(t, {"2", 0}) == "120");
  CHECK(htaPath(t, {"step", 2}).fault == HtaFault::NoAnnotation);
  CHECK(htaPath(t, {"none", 0}).fault == HtaFault::NoAnnotation);
}

TEST_CASE("instances are in the order of the file") {
  HostRun run;
  run.add(EventKind::Annotation, "step 2", run.thread("1"), 30'000, 40'000);
  run.add(EventKind::Annotation, "step 1", run.thread("1"), 0, 20'000);
  run.op("a", 0, 20);
  run.op("b", 30, 38);
  run.kernel("k", 7, -1, 100, 101);
  CHECK(lengthOf(run.finish(), {"step", 0}) == "8");
}

TEST_CASE("events from before the scope are in the queues") {
  HostRun run;
  run.kernel("k", 7, run.call("cudaLaunchKernel", 0, 2), 40, 50);
  run.add(EventKind::Annotation, "step", run.thread("1"), 30'000, 60'000);
  run.kernel("l", 7, run.call("cudaLaunchKernel", 35, 37), 51, 60);
  CHECK(lengthOf(run.finish(), {"step", 0}) == "9");
}

TEST_CASE("without a path there is a reason") {
  HostRun run;
  run.op("a", 0, 10);
  Timeline t = run.finish();
  t.hasStarts = false;
  CHECK(htaPath(t, {}).fault == HtaFault::NoStarts);
  t.host.reset();
  CHECK(htaPath(t, {}).fault == HtaFault::NoHostEvents);
  CHECK_FALSE(htaPath(t, {}).path);

  HostRun annotated;
  annotated.add(EventKind::Annotation, "a", annotated.thread("1"), 0, 1000);
  annotated.kernel("k", 7, -1, 0, 10);
  CHECK(htaPath(annotated.finish(), {}).fault == HtaFault::NoEdges);

  // The thread says that the second call is over before the first, and the lock the contrary.
  HostRun crossing;
  crossing.call("cudaHostAlloc", 0, 10);
  crossing.call("cudaHostAlloc", 5, 15);
  crossing.op("a", 11, 12);
  CHECK(htaPath(crossing.finish(), {}).fault == HtaFault::Cycle);
}
