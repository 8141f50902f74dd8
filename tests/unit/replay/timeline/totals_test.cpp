#include "replay/timeline/totals.h"

#include <doctest/doctest.h>

#include "tests/unit/replay/timeline/timeline_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

TEST_CASE("busy is a union, device a sum, wall an extent, window the host's; of the selected iterations") {
  Run run;
  for (int64_t step = 0; step < 3; ++step) {
    const int64_t at = 10000 * step;
    run.annotation("ProfilerStep#" + std::to_string(step), at, at + 9000 + step);
    run.call(10 * step, at + 10, at + 20);
    run.kernel("a", 10 * step, at + 100, at + 200);
    run.call(10 * step + 1, at + 20, at + 30);
    run.kernel("b", 10 * step + 1, at + 150, at + 300 + step);
    run.call(10 * step + 2, at + 40, at + 50);
    run.kernel("a", 10 * step + 2, at + 500, at + 600);
  }
  const Timeline timeline = run.finish();
  const TimelineTotals t = timelineTotals(timeline);
  CHECK(t.events == 6);
  CHECK(t.busy.totalNs == 301 + 302);
  CHECK(t.busy.meanNs == 302);      // 301.5, half to even
  CHECK(t.busy.reportedNs == 301);  // of the first of two iterations with one wall time
  CHECK(t.wall->meanNs == 500);
  CHECK(t.idle->totalNs == 199 + 198);
  CHECK(t.device.totalNs == 351 + 352);
  CHECK(t.window->totalNs == 9001 + 9002);
  REQUIRE(t.kernels.size() == 2);
  CHECK(t.kernels[0].name == "a");
  CHECK(t.kernels[0].events == 2);
  CHECK(t.kernels[0].deviceNs == 400);
  CHECK(t.kernels[1].busy.totalNs == 303);
  CHECK(t.kernels[1].busy.reportedNs == 151);
  REQUIRE(t.streams.size() == 1);
  CHECK(t.streams[0].name == "0/7");
  CHECK(t.streams[0].busy.totalNs == 603);
}

TEST_CASE("iterations that do not count are named by their reason, and their windows do not count") {
  Timeline timeline;
  timeline.iterations = {
      {"warm-up", 0, 10, LeftOut::WarmUp}, {"counts", 10, 30}, {"empty", 30, 40, LeftOut::WithoutDeviceWork}};
  for (const int32_t iteration : {0, 1}) {
    timeline.kind.push_back(EventKind::Kernel);
    timeline.startNs.push_back(iteration * 10);
    timeline.durationNs.push_back(5);
    timeline.iteration.push_back(iteration);
  }
  CHECK(timeline.iterationNames(LeftOut::None) == std::vector<std::string>{"counts"});
  CHECK(timeline.iterationNames(LeftOut::WarmUp) == std::vector<std::string>{"warm-up"});
  CHECK(timeline.iterationNames(LeftOut::WithoutDeviceWork) == std::vector<std::string>{"empty"});
  const std::vector<IterationTimes> selected = selectedIterationTimes(timeline);
  REQUIRE(selected.size() == 1);
  CHECK(windowsOf(selected) == std::vector<int64_t>{20});
  timeline.iterations[1].endNs.reset();
  CHECK_FALSE(windowsOf(selectedIterationTimes(timeline)));
}

TEST_CASE("the part of device time whose launch is not in the trace is stated; it is unknown if no event has one") {
  Run run;
  run.kernel("earlier", 90, -100, -70);
  for (int64_t step = 0; step < 2; ++step) {
    run.annotation("ProfilerStep#" + std::to_string(step), 1000 * step, 1000 * step + 900);
    run.launch("a", step, 1000 * step + 10);
  }
  const Timeline timeline = run.finish();
  const TimelineTotals t = timelineTotals(timeline);
  REQUIRE(t.spillIn);
  CHECK(t.spillIn->totalNs == 30);
  CHECK(t.spillIn->meanNs == 15);
  CHECK(t.busy.totalNs == 30 + 50 + 50);
  CHECK(t.wall.value().totalNs == 260 + 50);

  Run launched, unknown;
  launched.launch("a", 1, 0);
  unknown.kernel("a", 1, 0, 10);
  const Timeline all = launched.finish(), none = unknown.finish();
  CHECK(timelineTotals(all).spillIn->totalNs == 0);
  CHECK_FALSE(timelineTotals(none).spillIn);
}

namespace {

size_t ofWalls(const std::vector<int64_t>& walls, const std::vector<size_t>& leftOut = {}) {
  Timeline timeline;
  timeline.iterations.resize(walls.size());
  for (const int64_t wallNs : walls) {
    timeline.iteration.push_back(static_cast<int32_t>(timeline.size()));
    timeline.kind.push_back(EventKind::Kernel);
    timeline.startNs.push_back(0);
    timeline.durationNs.push_back(wallNs);
  }
  for (const size_t i : leftOut) timeline.iterations[i].leftOut = LeftOut::WarmUp;
  return representativeIteration(timeline);
}

}  // namespace

TEST_CASE("the representative iteration is a selected one with the median wall time") {
  CHECK(ofWalls({30, 10, 20}) == 2);
  CHECK(ofWalls({99, 30, 10, 20}, {0}) == 3);
}

TEST_CASE("of an even number it is the shorter one in the middle, of equal ones the first") {
  CHECK(ofWalls({40, 30, 10, 20}) == 3);
  CHECK(ofWalls({5, 5, 5, 5}) == 0);
  CHECK(ofWalls({9, 5, 1, 5, 5, 7}) == 1);
}

TEST_CASE("without a selected iteration it is the first") {
  CHECK(ofWalls({}) == 0);
  CHECK(ofWalls({7, 8}, {0, 1}) == 0);
}
