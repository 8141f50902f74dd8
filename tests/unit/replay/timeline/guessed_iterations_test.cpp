#include "replay/timeline/guessed_iterations.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/timeline/timeline_fixture.h"

namespace amdahlc {
namespace {

/// Six launches with pauses between them; the work of each begins only after the next launch.
Timeline lateWork() {
  testing::Run run;
  for (int64_t i = 0; i < 6; ++i) {
    run.op("op", 1000 * i, 1000 * i + 20);
    run.call(i, 1000 * i + 5, 1000 * i + 15);
    run.kernel(i % 2 == 0 ? "a" : "b", i, 1000 * i + 1500, 1000 * i + 1600);
  }
  return run.finish(StepSelection::Whole);
}

TEST_CASE("a run is divided by launches, so that late work counts where it was launched") {
  Timeline timeline = lateWork();
  divideAt(timeline, std::vector<ForwardExtent>{{0, 1}, {2, 3}, {4, 5}}, true);
  CHECK(timeline.iteration == std::vector<int32_t>{0, 0, 1, 1, 2, 2});
  CHECK(timeline.iterationNames(LeftOut::WarmUp) == std::vector<std::string>{"forward 1"});
  CHECK(timeline.iterationNames(LeftOut::None) == std::vector<std::string>{"forward 2", "forward 3"});
  CHECK(areIterationsGuessed(timeline));
  CHECK(timeline.iterations[1].spillInNs == 0);
}

TEST_CASE("a division can be taken back, and a choice of the user is none that is guessed") {
  Timeline timeline = lateWork();
  const Division before = divisionOf(timeline);
  CHECK_FALSE(areIterationsGuessed(timeline));
  divideAt(timeline, std::vector<ForwardExtent>{{0, 2}, {3, 5}}, true);
  CHECK(timeline.iterations[0].leftOut == LeftOut::None);
  timeline.iterations[0].leftOut = LeftOut::NotChosen;
  CHECK_FALSE(areIterationsGuessed(timeline));
  divide(timeline, before);
  CHECK(timeline.iterations.size() == 1);
  CHECK(timeline.iteration == std::vector<int32_t>(6, 0));
}

TEST_CASE("a border is the longest pause between forwards, whatever encloses them, and host events are divided, too") {
  testing::Run run;
  run.module("nn.Module: Main_0", 0, 10000);
  for (const int64_t startNs : {100, 200, 1100, 1150, 1250}) {
    run.op("op", startNs, startNs + 20);
    run.call(startNs, startNs + 5, startNs + 15);
    run.kernel("a", startNs, startNs + 30, startNs + 40);
  }
  Timeline timeline = run.finish(StepSelection::Whole);
  // The third launch is not bound.
  divideAt(timeline, std::vector<ForwardExtent>{{0, 1}, {3, 4}}, false);
  CHECK(timeline.iteration == std::vector<int32_t>{0, 0, 1, 1, 1});
  std::vector<int32_t> ofOperators;
  for (const HostEventId event : timeline.host->kind.ids())
    if (timeline.host->kind[event] == EventKind::Operator) ofOperators.push_back(timeline.host->iteration[event]);
  CHECK(ofOperators == std::vector<int32_t>{0, 0, 1, 1, 1});
}

TEST_CASE("work without a launch is of the iteration of the next event of its stream") {
  testing::Run run;
  run.kernel("early", -1, 4000, 4100);
  for (int64_t i = 0; i < 4; ++i) {
    run.call(i, 1000 * i + 5, 1000 * i + 15);
    run.kernel("a", i, 5000 + 100 * i, 5000 + 100 * i + 50);
  }
  Timeline timeline = run.finish(StepSelection::Whole);
  divideAt(timeline, std::vector<ForwardExtent>{{1, 2}, {3, 4}}, false);
  CHECK(timeline.iteration == std::vector<int32_t>{0, 0, 0, 1, 1});
  CHECK(timeline.iterations[0].spillInNs == 100);
  CHECK(timeline.iterations[1].spillInNs == 0);
}

}  // namespace
}  // namespace amdahlc
