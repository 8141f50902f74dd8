#include "passes/timing/timing_analysis.h"

#include <doctest/doctest.h>

#include "../kernel_graphs.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;
using testing::startAt;

TEST_CASE("on one stream a kernel's share leaves busy time as a whole") {
  const ir::Module module = boundModule({100, 50, 30}, {{0, 1}, {1, 2}}, {0}, 20);
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().busyNs == std::vector<int64_t>{180});
  CHECK(timing.run().wallNs == std::vector<int64_t>{220});
  CHECK(timing.run().deviceNs == std::vector<int64_t>{180});
  CHECK(timing.run().boundNs == std::vector<int64_t>{180});
  CHECK_FALSE(timing.run().windowNs.has_value());
  CHECK(timing.kernel(1_kernel).reportedNs == 50);
  CHECK(timing.kernel(1_kernel).busyWithoutNs == 130);
}

TEST_CASE("overlapped time is lost to busy time only with both kernels") {
  ir::Module module = boundModule({100, 100}, {{0, 1}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().busyNs == std::vector<int64_t>{160});
  CHECK(timing.run().deviceNs == std::vector<int64_t>{200});
  CHECK(timing.kernel(0_kernel).reportedNs == 100);
  CHECK(timing.kernel(0_kernel).busyWithoutNs == 100);
  CHECK(timing.kernel(1_kernel).busyWithoutNs == 100);
}

TEST_CASE("a kernel's own overlapping events count once") {
  ir::Module module = boundModule({100, 100}, {{0, 1}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  testing::bindingOf(module, 0_kernel).events.push_back(testing::bindingOf(module, 1_kernel).events.front());
  testing::bindingOf(module, 1_kernel).events.clear();
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.kernel(0_kernel).reportedNs == 160);
  CHECK(timing.kernel(0_kernel).busyWithoutNs == 0);
  CHECK(timing.kernel(1_kernel).reportedNs == 0);
}

TEST_CASE("unbound events are busy but belong to no kernel") {
  ir::Module module = boundModule({100, 50}, {{0, 1}});
  testing::bindingOf(module, 1_kernel).events.clear();
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().boundNs == std::vector<int64_t>{100});
  CHECK(timing.run().deviceNs == std::vector<int64_t>{150});
  CHECK(timing.kernel(0_kernel).busyWithoutNs == 50);
}

TEST_CASE("iterations that are not selected count nowhere, the others one by one") {
  ir::Module module = boundModule({100, 50, 70}, {{0, 1}, {1, 2}});
  Timeline& timeline = module.timelines[0];
  timeline.iterations = {{"warm-up", 0, 5000, LeftOut::WarmUp}, {"first", 5000, 9000}, {"second", 9000, 9500}};
  timeline.iteration = {0, 1, 2};
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().iterations == 2);
  CHECK(timing.run().deviceEvents == 2);
  CHECK(timing.run().busyNs == std::vector<int64_t>{50, 70});
  CHECK(timing.run().windowNs == std::vector<int64_t>{4000, 500});
  CHECK(timing.kernel(0_kernel).reportedNs == 0);
  CHECK(timing.kernel(1_kernel).perIterationNs == std::vector<int64_t>{50, 0});
}

/// Three iterations of two kernels on one stream. In one of them one event takes 1000 times as long.
ir::Module disturbedModule(size_t iteration, int64_t factor) {
  const ir::Module undisturbed = boundModule({100, 50}, {{0, 1}});
  const Timeline& once = undisturbed.timelines[0];
  ir::Module module = boundModule({100, 50}, {{0, 1}});
  Timeline& timeline = module.timelines[0];
  timeline.iterations = {{"a", {}, {}}, {"b", {}, {}}, {"c", {}, {}}};
  int64_t atNs = 0;
  timeline.startNs.clear();
  timeline.durationNs.clear();
  timeline.iteration.clear();
  for (const ir::KernelId kernel : {0_kernel, 1_kernel}) testing::bindingOf(module, kernel).events.clear();
  for (size_t i = 0; i < 3; ++i)
    for (size_t event = 0; event < 2; ++event) {
      const auto number = static_cast<EventIndex>(2 * i + event);
      if (i > 0) {
        timeline.kind.push_back(once.kind[event]);
        timeline.name.push_back(once.name[event]);
        timeline.track.push_back(once.track[event]);
        timeline.correlation.push_back(-1);
        timeline.factsIndex.push_back(once.factsIndex[event]);
      }
      timeline.startNs.push_back(atNs);
      timeline.durationNs.push_back(once.durationNs[event] * (i == iteration && event == 1 ? factor : 1) +
                                    static_cast<int64_t>(i));
      atNs += timeline.durationNs.back();
      timeline.iteration.push_back(static_cast<int32_t>(i));
      testing::bindingOf(module, event == 0 ? 0_kernel : 1_kernel).events.push_back({number, 1, 1000});
    }
  return module;
}

TEST_CASE("one event that is disturbed moves no reported time, whichever iteration it is in") {
  for (size_t iteration = 0; iteration < 3; ++iteration) {
    const ir::Module module = disturbedModule(iteration, 1000);
    const TimingAnalysis timing(module, ir::CoverId{0});
    CAPTURE(iteration);
    // The other two iterations take 1 or 2 ns longer for each kernel.
    CHECK(timing.kernel(0_kernel).reportedNs == 101);
    CHECK(timing.kernel(1_kernel).reportedNs >= 51);
    CHECK(timing.kernel(1_kernel).reportedNs <= 52);
    CHECK(timing.run().undisturbedNs == timing.kernel(0_kernel).reportedNs + timing.kernel(1_kernel).reportedNs);
    CHECK(timing.kernel(0_kernel).busyWithoutNs == timing.kernel(1_kernel).reportedNs);
    CHECK(timing.kernel(1_kernel).busyWithoutNs == timing.kernel(0_kernel).reportedNs);
  }
}

TEST_CASE("means are of all iterations") {
  ir::Module module = disturbedModule(1, 1000);
  module.timelines[0].average = Average::Mean;
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK_FALSE(timing.run().representative);
  CHECK(timing.kernel(1_kernel).reportedNs == 50 + 50'001 + 52);
  CHECK(timing.run().undisturbedNs == sum(timing.run().busyNs));
  CHECK(timing.kernel(1_kernel).busyWithoutNs == 303);
}

}  // namespace
}  // namespace amdahlc
