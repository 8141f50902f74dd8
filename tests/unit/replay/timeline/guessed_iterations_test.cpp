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
  takeAsOneIteration(timeline);
  divideAt(timeline, std::vector<EventIndex>{0, 2, 4}, true);
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
  divideAt(timeline, std::vector<EventIndex>{0, 3}, true);
  CHECK(timeline.iterations[0].leftOut == LeftOut::None);
  timeline.iterations[0].leftOut = LeftOut::NotChosen;
  CHECK_FALSE(areIterationsGuessed(timeline));
  divide(timeline, before);
  CHECK(timeline.iterations.size() == 1);
  CHECK(timeline.iteration == std::vector<int32_t>(6, 0));
}

}  // namespace
}  // namespace amdahlc
