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
  CHECK(timing.run().deviceNs == 180);
  CHECK(timing.run().boundNs == 180);
  CHECK(timing.run().unboundNs == 0);
  CHECK_FALSE(timing.run().windowNs.has_value());
  CHECK(timing.kernel(1_kernel).totalNs == 50);
  CHECK(timing.kernel(1_kernel).busyWithoutNs == 130);
}

TEST_CASE("overlapped time is lost to busy time only with both kernels") {
  ir::Module module = boundModule({100, 100}, {{0, 1}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().busyNs == std::vector<int64_t>{160});
  CHECK(timing.run().deviceNs == 200);
  CHECK(timing.kernel(0_kernel).totalNs == 100);
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
  CHECK(timing.kernel(0_kernel).totalNs == 160);
  CHECK(timing.kernel(0_kernel).busyWithoutNs == 0);
  CHECK(timing.kernel(1_kernel).totalNs == 0);
}

TEST_CASE("unbound events are busy but belong to no kernel") {
  ir::Module module = boundModule({100, 50}, {{0, 1}});
  testing::bindingOf(module, 1_kernel).events.clear();
  const TimingAnalysis timing(module, ir::CoverId{0});
  CHECK(timing.run().boundNs == 100);
  CHECK(timing.run().unboundNs == 50);
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
  CHECK(timing.kernel(0_kernel).totalNs == 0);
  CHECK(timing.kernel(1_kernel).perIterationNs == std::vector<int64_t>{50, 0});
}

}  // namespace
}  // namespace amdahlc
