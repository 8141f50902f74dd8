#include "replay/timeline/recordings.h"

#include <doctest/doctest.h>

#include "replay/timeline/guessed_iterations.h"
#include "replay/timeline/totals.h"
#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

Timeline named(Timeline timeline, const std::string& name) {
  timeline.file = name + ".json";
  timeline.contentHash = "hash of " + name;
  return timeline;
}

Timeline finished(Run& run, const std::string& name, StepSelection selection = StepSelection::Auto) {
  return named(run.finish(selection), name);
}

/// Two steps with two kernels; of the first one a launch is not in the trace.
Timeline twoSteps(const std::string& name, int64_t fromNs) {
  Run run;
  run.annotation("ProfilerStep#1", fromNs, fromNs + 1'000);
  run.annotation("ProfilerStep#2", fromNs + 1'000, fromNs + 2'000);
  run.kernel("early", -1, fromNs + 10, fromNs + 60);
  run.op("aten::mm", fromNs + 90, fromNs + 150);
  run.launch("gemm", 4, fromNs + 100);
  run.launch("gemm", 9, fromNs + 1'100);
  return finished(run, name);
}

std::string whyNot(Timeline a, Timeline b) {
  RecordingJoiner joiner(std::move(a));
  return joiner.add(std::move(b));
}

}  // namespace

TEST_CASE("a recording is put behind the one before it, with relations of its own") {
  Run first, second;
  first.annotation("step 1", 0, 500);
  first.launch("a", 3, 100);
  first.launch("b", 7, 200);
  second.annotation("other", 40'000, 40'300);
  second.op("aten::mm", 40'050, 40'120);
  second.launch("b", 3, 40'100);
  Timeline other = finished(second, "second");
  other.host->memory = {{40'060, 64, -1}};
  RecordingJoiner joiner(finished(first, "first"));
  CHECK(joiner.add(std::move(other)) == "");
  const Timeline run = std::move(joiner).finish();

  // The first ends at 500; in whole microseconds the second begins 1 ms later or a little more.
  CHECK(run.recordings.size() == 2);
  CHECK(run.recordings[0].startNs == 0);
  CHECK(run.recordings[1].startNs == 1'001'000);
  CHECK(run.file == "first.json,second.json");
  CHECK(run.contentHash == "hash of first,hash of second");
  CHECK(run.startNs == std::vector<int64_t>{200, 300, 1'001'200});
  CHECK(run.iteration == std::vector<int32_t>{0, 0, 1});
  CHECK(run.iterations[1].recording == 1);
  CHECK(run.iterations[1].startNs == 1'001'000);
  CHECK(run.iterations[1].endNs == 1'001'300);
  CHECK(run.recordingAt(1'000'999) == 0);
  CHECK(run.recordingAt(1'001'000) == 1);

  // A stream is one, a thread is not.
  CHECK(run.track[0] == run.track[2]);
  CHECK(run.tracks.size() == 3);
  CHECK(run.text(run.name[2]) == "b");
  CHECK(run.name[1] == run.name[2]);
  const HostEventId call = findHost(run, "cudaLaunchKernel", 2);
  CHECK(run.host->launch[2] == call);
  CHECK(run.host->launchOp[2] == findHost(run, "aten::mm"));
  CHECK(run.host->parent[call] == findHost(run, "aten::mm"));
  CHECK(run.host->startNs[call] == 1'001'100);
  CHECK(run.host->track[call] != run.host->track[findHost(run, "cudaLaunchKernel")]);
  // Correlations of the first are at most 7.
  CHECK(run.host->correlation[call] == 11);
  CHECK(run.correlation == std::vector<int64_t>{3, 7, 11});
  CHECK(run.host->memory.front().ns == 1'001'060);
}

TEST_CASE("numbers of autograd and of records of events do not meet, and equal launch facts are one") {
  const auto recording = [](const std::string& name) {
    Run run;
    RawEvent op;
    op.kind = EventKind::Operator;
    op.name = "aten::mm";
    op.durationNs = 20;
    op.track = run.host;
    op.sequenceNumber = 5;
    op.facts = run.builder.facts(OperatorFacts{{{2, 3}}, {"float"}});
    run.builder.add(op);
    RawEvent wait;
    wait.kind = EventKind::Synchronization;
    wait.name = "Stream Wait Event";
    wait.track = run.stream;
    wait.startNs = 1;
    wait.correlation = 2;
    wait.facts = run.builder.facts(WaitFacts{7, 9, 8});
    run.builder.add(wait);
    run.call(1, 5, 10);
    RawEvent kernel;
    kernel.kind = EventKind::Kernel;
    kernel.name = name;
    kernel.startNs = 30;
    kernel.durationNs = 10;
    kernel.track = run.stream;
    kernel.correlation = 1;
    LaunchFacts facts;
    facts.registers = 32;
    kernel.facts = run.builder.facts(facts);
    run.builder.add(kernel);
    return finished(run, name);
  };
  RecordingJoiner joiner(recording("first"));
  CHECK(joiner.add(recording("second")) == "");
  CHECK(joiner.add(recording("third")) == "");
  const Timeline run = std::move(joiner).finish();
  std::vector<int64_t> sequence, records;
  for (const HostEventId event : run.host->kind.ids()) {
    if (run.host->operatorFactsOf(event) != nullptr) {
      CHECK(run.host->operatorFactsOf(event)->inputDims == std::vector<std::vector<int64_t>>{{2, 3}});
      sequence.push_back(run.host->sequenceNumber[event]);
    }
    if (run.host->waitFactsOf(event) != nullptr) records.push_back(run.host->waitFactsOf(event)->recordCorrelation);
  }
  CHECK(sequence == std::vector<int64_t>{5, 11, 17});
  // The largest number of a recording is that of its record, 8.
  CHECK(records == std::vector<int64_t>{8, 17, 26});
  CHECK(run.correlation == std::vector<int64_t>{1, 10, 19});
  CHECK(run.launchFacts.size() == 1);
  CHECK(run.factsIndex == std::vector<uint32_t>{0, 0, 0});
}

TEST_CASE("times by iteration are those of the recordings alone") {
  const Timeline a = twoSteps("a", 0), b = twoSteps("b", -7'000);
  RecordingJoiner joiner(twoSteps("a", 0));
  CHECK(joiner.add(twoSteps("b", -7'000)) == "");
  const Timeline run = std::move(joiner).finish();
  const auto times = iterationTimes(run);
  REQUIRE(times.size() == 4);
  for (size_t i = 0; i < times.size(); ++i) {
    const IterationTimes alone = iterationTimes(i < 2 ? a : b)[i % 2];
    CHECK(times[i].busyNs == alone.busyNs);
    CHECK(times[i].wallNs == alone.wallNs);
    CHECK(times[i].windowNs == alone.windowNs);
    CHECK(times[i].spillInNs == alone.spillInNs);
  }
  CHECK(problemCount(run, "no-launch") == 2);
  CHECK(run.iterationName(3) == "ProfilerStep#2 (recording 2)");
}

TEST_CASE("traces that differ in what a run is are no recordings of one") {
  const auto changed = [](auto change) {
    Timeline other = twoSteps("other", 0);
    change(other);
    return whyNot(twoSteps("one", 0), std::move(other));
  };
  CHECK(changed([](Timeline&) {}) == "");
  CHECK(changed([](Timeline& t) { t.contentHash = "hash of one"; }) == "it has the same content as another recording");
  CHECK(changed([](Timeline& t) { t.format = "onnxruntime"; }) ==
        "they differ in `format`: not stated in one, onnxruntime in the other");
  CHECK(changed([](Timeline& t) { t.target.runtime = ""; }) ==
        "they differ in `runtime`: pytorch in one, not stated in the other");
  CHECK(changed([](Timeline& t) { t.target.device = "B"; }) ==
        "they differ in `device`: not stated in one, B in the other");
  CHECK(changed([](Timeline& t) { t.clockResolutionNs = 1'000; }) ==
        "they differ in `unit of the clock`: 1 ns in one, 1000 ns in the other");
  CHECK(changed([](Timeline& t) { t.rank = StatedRank{3, 4}; }) ==
        "they differ in `rank`: not stated in one, 3 in the other");
  CHECK(changed([](Timeline& t) { t.hasStarts = false; }) ==
        "a trace that does not say when events started cannot be one of several recordings");
  CHECK(changed([](Timeline& t) {
          HostFacts none;
          none.launch.resize(t.size());
          none.launchOp.resize(t.size());
          t.host = std::move(none);
        }) == "they differ in `host events`: yes in one, none in the other");
  CHECK(changed([](Timeline& t) { takeAsOneIteration(t, kOneForward); }) ==
        "they differ in `iterations`: marked in one, the whole trace in the other");
  CHECK(changed([](Timeline& t) {
          for (Iteration& one : t.iterations) one.leftOut = LeftOut::NotChosen;
        }) == "one of them has no device event in an iteration that counts");
}

TEST_CASE("a run of three recordings takes no fourth that it has, and none that is too late") {
  RecordingJoiner joiner(twoSteps("a", 0));
  CHECK(joiner.add(twoSteps("b", 0)) == "");
  CHECK(joiner.add(twoSteps("c", 0)) == "");
  CHECK(joiner.add(twoSteps("b", 100)) == "it has the same content as another recording");
  constexpr int64_t kLate = (int64_t{1} << 61) - 5'000;
  CHECK(whyNot(twoSteps("a", kLate), twoSteps("b", 0)) ==
        "their times or numbers of launches are too large for one run");
  Timeline numbered = twoSteps("b", 0);
  numbered.correlation.back() = INT64_MAX;
  CHECK(whyNot(twoSteps("a", 0), std::move(numbered)) ==
        "their times or numbers of launches are too large for one run");
}

TEST_CASE("a run without marks is one iteration of each recording") {
  const auto launches = [](const std::string& name) {
    Run run;
    for (int64_t i = 0; i < 6; ++i) {
      run.op("op", 1000 * i, 1000 * i + 20);
      run.call(i, 1000 * i + 5, 1000 * i + 15);
      run.kernel(i % 2 == 0 ? "a" : "b", i, 1000 * i + 30, 1000 * i + 90);
    }
    // After the last launch of the stream, and long before the first one of the next recording.
    run.kernel("late", -1, 9'000, 9'100);
    return finished(run, name, StepSelection::Whole);
  };
  const auto joined = [&] {
    RecordingJoiner joiner(launches("a"));
    CHECK(joiner.add(launches("b")) == "");
    return std::move(joiner).finish();
  };
  Timeline run = joined();
  takeAsOneIteration(run, kOneForward);
  CHECK(run.iteration == std::vector<int32_t>{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1});
  CHECK(run.iterations[1].recording == 1);
  CHECK(run.iterations[0].spillInNs == 100);
  CHECK(problemCount(run, kUnmarkedIteration) == 2);
  // The operator at the begin of the second recording.
  CHECK(run.host->iteration[findHost(run, "op", 6)] == 1);
  Timeline again = joined();
  takeAsBefore(again, run);
  CHECK(again.iteration == run.iteration);
  CHECK(problemCount(again, kUnmarkedIteration) == 2);
}
