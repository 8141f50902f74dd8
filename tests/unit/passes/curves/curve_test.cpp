#include "passes/curves/curves_analysis.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "../measured_run.h"
#include "replay/scenario/wall_curve.h"

namespace amdahlc {
namespace {

using namespace ir::test;
using testing::Launch;
using testing::SimulatedModule;
using testing::Step;
using testing::Work;

std::vector<TimedGroup> groupsOf(const std::vector<std::string>& names) {
  std::vector<TimedGroup> groups;
  for (uint32_t i = 0; i < names.size(); ++i) {
    groups.emplace_back();
    groups.back().selector = names[i];
    groups.back().kernels = {ir::KernelId(i)};
  }
  for (const char* const name : {"launches", "host"}) {
    groups.emplace_back();
    groups.back().selector = name;
    (groups.back().selector == "host" ? groups.back().hasHost : groups.back().hasLaunches) = true;
  }
  return groups;
}

Curve build(SimulatedModule& run, const std::vector<TimedGroup>& groups, size_t group, bool replays = true) {
  const testing::RunToPredict predicted(run.module, replays);
  const GroupTimesPredictor times(predicted.predictor.times(), predicted.predictor.run(), groups);
  std::vector<size_t> others;
  for (size_t i = 0; i < groups.size(); ++i) others.push_back(i);
  return curveOf(group, run.module, run.cover(), predicted.run.graph, times, others);
}

/// Layers of a long kernel of 40 us and a short one of 10 us, while the host needs 10 us for each, 4 of them for a
/// launch. The host is done after 20 us of a layer, which takes the device 52.
std::vector<Step> deviceBound() {
  std::vector<Step> steps;
  for (int layer = 0; layer < 50; ++layer) {
    steps.push_back(Work{6'000});
    steps.push_back(Launch{"long", "7", 40'000});
    steps.push_back(Work{6'000});
    steps.push_back(Launch{"short", "7", 10'000});
  }
  return steps;
}

TEST_CASE("the knee of a run is where its host becomes the limit") {
  SimulatedModule run({"long", "short"}, deviceBound());
  const auto groups = groupsOf({"long", "short"});
  const Curve curve = build(run, groups, 0);
  // A layer takes the device 12 + 40 f with the turn-arounds, and the host 20: they are equal at f = 1/5.
  REQUIRE(curve.knee);
  CHECK(curve.knee->toDouble() == doctest::Approx(0.2).epsilon(0.02));
  CHECK(curve.next == "host");
  CHECK(curve.rest == "host");
  CHECK(curve.isComplete);
  for (size_t i = 1; i < curve.points.size(); ++i) {
    CHECK(curve.points[i].factor < curve.points[i - 1].factor);
    CHECK(curve.points[i].limitNs() <= curve.points[i - 1].limitNs());
    CHECK(curve.points[i].pathNs <= curve.points[i - 1].pathNs);
  }
  // The short one is less than the wait for the host, with or without its time.
  CHECK(!build(run, groups, 1).knee);
  CHECK(build(run, groups, 1).rest == "long");
}

TEST_CASE("where launches alone take the time of the host, they are named") {
  std::vector<Step> steps;
  for (int layer = 0; layer < 50; ++layer) steps.push_back(Launch{"gemm", "7", 20'000});
  SimulatedModule run({"gemm"}, steps);
  const Curve curve = build(run, groupsOf({"gemm"}), 0);
  // 21 us of the device for each launch of 4 us: equal where 1 + 20 f = 4.
  REQUIRE(curve.knee);
  CHECK(curve.knee->toDouble() == doctest::Approx(0.15).epsilon(0.02));
  CHECK(curve.next == "launches");
}

TEST_CASE("a faster host saves nothing while the device limits") {
  SimulatedModule run({"long", "short"}, deviceBound());
  const Curve curve = build(run, groupsOf({"long", "short"}), 3);
  CHECK(curve.selector == "host");
  CHECK(!curve.knee);
  CHECK(curve.rest == "long");
}

TEST_CASE("of a group that overlaps the curve's, the rest may limit next") {
  ir::Module module = testing::boundModule({500, 300, 200}, {{0, 1}, {1, 2}});
  testing::setTimes(module);
  auto groups = groupsOf({"first", "first and second", "third"});
  groups[1].kernels = ids<ir::KernelId>({0, 1});
  groups[2].kernels = ids<ir::KernelId>({2});
  const testing::RunToPredict predicted(module);
  const GroupTimesPredictor times(predicted.predictor.times(), predicted.predictor.run(), groups);
  CHECK(curveOf(0, module, module.covers[0], predicted.run.graph, times, {1, 2}).rest == "first and second");
  CHECK(curveOf(1, module, module.covers[0], predicted.run.graph, times, {1, 2}).rest == "third");
  CHECK(curveOf(1, module, module.covers[0], predicted.run.graph, times, {0, 2}).rest == "third");
}

TEST_CASE("with idle time kept wall is a line without a knee, and the path has its own") {
  SimulatedModule run({"long", "short"}, deviceBound());
  const Curve curve = build(run, groupsOf({"long", "short"}), 0, false);
  CHECK(!curve.knee);
  CHECK(curve.next.empty());
  CHECK(curve.rest == "short");
  REQUIRE(curve.points.size() == standardFactors().size());
  const double savedNs = curve.points.front().limitNs() - curve.points.back().limitNs();
  CHECK(savedNs == 50 * 40'000);
  for (const CurvePoint& point : curve.points)
    CHECK(point.limitNs() == doctest::Approx(curve.points.back().limitNs() + savedNs * point.factor.toDouble()));
}

}  // namespace
}  // namespace amdahlc
