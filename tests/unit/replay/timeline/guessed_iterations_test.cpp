#include "replay/timeline/guessed_iterations.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/timeline/timeline_fixture.h"

namespace amdahlc {
namespace {

/// Three times two launches, with pauses between.
Timeline repeated(StepSelection selection = StepSelection::Auto, bool hasModules = false) {
  testing::Run run;
  for (int64_t i = 0; i < 6; ++i) {
    const int64_t startNs = 10'000 * (i / 2) + 100 * (i % 2);
    if (hasModules && i % 2 == 0) run.module("nn.Module: Net_0", startNs - 10, startNs + 200);
    run.op("op", startNs, startNs + 20);
    run.call(i, startNs + 5, startNs + 15);
    run.kernel(i % 2 == 0 ? "a" : "b", i, startNs + 30, startNs + 60);
  }
  return run.finish(selection);
}

TEST_CASE("repeated launches are no iterations where nothing but pauses tells passes from layers") {
  Timeline timeline = repeated();
  REQUIRE(timeline.iterations.size() == 3);
  REQUIRE(areIterationsGuessed(timeline));
  dropUnconfirmedIterations(timeline);
  CHECK_FALSE(areIterationsGuessed(timeline));
  CHECK(timeline.iterationNames(LeftOut::None) == std::vector<std::string>{"whole trace"});
  CHECK(timeline.iteration == std::vector<int32_t>(6, 0));
  CHECK(timeline.iterations[0].spillInNs == 0);
  CHECK(testing::problemCount(timeline, kUnmarkedIteration) == 1);
  CHECK(testing::problemCount(timeline, kGuessedIterations) == 0);
}

TEST_CASE("calls of a module and marks tell passes from layers") {
  Timeline modules = repeated(StepSelection::Auto, true);
  REQUIRE(areIterationsGuessed(modules));
  dropUnconfirmedIterations(modules);
  CHECK(modules.iterations.size() == 3);
  Timeline chosen = repeated();
  chosen.iterations[0].leftOut = LeftOut::NotChosen;
  dropUnconfirmedIterations(chosen);
  CHECK(chosen.iterations.size() == 3);
}

TEST_CASE("a division can be taken back, and given to another reading of the run") {
  Timeline timeline = repeated();
  const Division before = divisionOf(timeline);
  takeAsOneIteration(timeline, kForwardsOfModel);
  Timeline again = repeated();
  takeAsBefore(again, timeline);
  CHECK(again.iteration == timeline.iteration);
  CHECK(again.problems[0] == timeline.problems[0]);
  divide(timeline, before);
  CHECK(timeline.iterations.size() == 3);
  Timeline other = repeated();
  takeAsBefore(other, timeline);
  CHECK(other.iterations.size() == 3);
}

}  // namespace
}  // namespace amdahlc
