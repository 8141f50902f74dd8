#include "replay/scenario/group_times.h"

#include <doctest/doctest.h>

#include <random>

#include "../measured_run.h"
#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {
namespace {

using namespace ir::test;
using testing::boundModule;
using testing::startAt;

TimedGroup kernelsOf(std::vector<ir::KernelId> kernels) {
  TimedGroup group;
  group.selector = "kernels";
  group.kernels = std::move(kernels);
  return group;
}

TEST_CASE("with idle time kept, a group has the times of a scenario") {
  ir::Module module = boundModule({100, 100, 70, 30, 5}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {0}, 7);
  startAt(module, 1_kernel, 1060);
  startAt(module, 2_kernel, 1130);
  startAt(module, 3_kernel, 1150);
  startAt(module, 4_kernel, 1300);
  testing::bindingOf(module, 4_kernel).events.clear();
  testing::setTimes(module);
  TimedGroup device = kernelsOf({0_kernel, 1_kernel, 2_kernel, 3_kernel});
  device.unbound.fill(true);
  const std::vector<TimedGroup> groups{kernelsOf({0_kernel, 2_kernel}), kernelsOf({1_kernel}),
                                       kernelsOf({2_kernel, 3_kernel}), device};
  const testing::RunToPredict predicted(module);
  const RunPredictor& predictor = predicted.predictor;
  const GroupTimesPredictor times(predictor.times(), predictor.run(), groups);
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    RunChanges scenario = predictor.noChanges();
    std::vector<GroupFactor> factors;
    for (size_t group = 0; group < groups.size(); ++group) {
      if (random() % 2 == 0) continue;
      const Rational factor = Rational::of(random() % 8, 7 + random() % 5);
      factors.push_back({group, factor});
      for (const ir::KernelId kernel : groups[group].kernels) scenario.device.kernels[kernel] = factor;
      if (groups[group].unbound[0]) scenario.device.unbound.fill(factor);
    }
    CHECK(times.timesUnder(factors) == *predictor.predict(scenario));
  }
  CHECK(times.predictions() == 100);
  CHECK(times.model() == schedule::WallModel::IdleConstant);
}

TEST_CASE("groups overlap where a factor of one would change the other") {
  TimedGroup host, launches, op, device = kernelsOf({});
  host.hasHost = true;
  launches.hasLaunches = true;
  op.hostOperator = "aten::mm";
  device.unbound.fill(true);
  CHECK(kernelsOf({0_kernel, 1_kernel}).overlaps(kernelsOf({1_kernel, 2_kernel})));
  CHECK(!kernelsOf({0_kernel}).overlaps(kernelsOf({1_kernel})));
  CHECK(!host.overlaps(launches));
  CHECK(host.overlaps(op));
  CHECK(device.overlaps(device));
  CHECK(!device.overlaps(kernelsOf({0_kernel})));
  CHECK(TimedGroup{}.isEmpty());
  CHECK(!launches.isEmpty());
}

}  // namespace
}  // namespace amdahlc
