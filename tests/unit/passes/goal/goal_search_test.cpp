#include "passes/goal/goal_analysis.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "../measured_run.h"
#include "passes/speedup_rewrite/scenario_predictions.h"

namespace amdahlc {
namespace {

using namespace ir::test;
using testing::boundModule;
using testing::Launch;
using testing::SimulatedModule;
using testing::Step;
using testing::Work;

/// A group for each kernel, and with `host` the two of the host.
std::vector<TimedGroup> groupsOf(size_t kernels, bool host = false) {
  std::vector<TimedGroup> groups(kernels + (host ? 2 : 0));
  for (uint32_t i = 0; i < kernels; ++i) {
    groups[i].selector = "kernel:" + std::to_string(i);
    groups[i].kernels = {ir::KernelId(i)};
  }
  if (host) groups[kernels].hasLaunches = groups[kernels + 1].hasHost = true;
  return groups;
}

/// A run with what predicts its scenarios.
struct Predicted {
  const ir::Module& module;
  const SimulatedModule* replayed = nullptr;
  std::vector<TimedGroup> groups;

  const ir::Cover& cover() const { return module.covers[0]; }

  GoalFound found(double targetNs, int64_t most = 2'000, std::function<void(double)> progress = [](double) {}) const {
    const testing::RunToPredict predicted(module, replayed != nullptr);
    const GroupTimesPredictor times(predicted.predictor.times(), predicted.predictor.run(), groups);
    return findGoal(times, 1, targetNs, most, progress);
  }

  /// As `speedup-rewrite` predicts a scenario.
  double wallNs(const std::vector<GoalChange>& changes) const {
    const testing::RunToPredict predicted(module, replayed != nullptr);
    RunChanges changed = predicted.predictor.noChanges();
    for (const GoalChange& change : changes) {
      const Rational factor = factorOf(change.step);
      const TimedGroup& group = groups[change.group];
      for (const ir::KernelId kernel : group.kernels) changed.device.kernels[kernel] = factor;
      if (group.hasHost) changed.other.host = factor;
      if (group.hasLaunches) changed.other.launches = factor;
    }
    return static_cast<double>(*predicted.predictor.predict(changed)->wallNs);
  }

  /// Each solution reaches the target, and not with any of its speed-ups one step lower.
  void check(double targetNs, const GoalFound& found) const {
    CHECK(!found.solutions.empty());
    CHECK(found.solutions.size() <= kMostSolutions);
    double cost = 0;
    for (const GoalSolution& solution : found.solutions) {
      CHECK(cost <= solution.cost());
      cost = solution.cost();
      CHECK(static_cast<double>(*solution.times.wallNs) == wallNs(solution.changes));
      CHECK(wallNs(solution.changes) <= targetNs);
      for (size_t i = 0; i < solution.changes.size(); ++i) {
        CHECK(solution.changes[i].step > kNoSpeedup);
        std::vector<GoalChange> lower = solution.changes;
        --lower[i].step;
        CHECK(wallNs(lower) > targetNs);
      }
    }
  }
};

TEST_CASE("of one stream each group alone has its smallest speed-up") {
  ir::Module module = boundModule({600'000, 300'000, 100'000}, {{0, 1}, {1, 2}}, {0}, 1'000);
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(3)};
  // Wall is 1002 us with two gaps. 200 less: the first to 400, the second to 100; the third cannot.
  const GoalFound found = run.found(802'000);
  run.check(802'000, found);
  CHECK(found.isReachable);
  CHECK(!found.isCut);
  CHECK(found.floor.limitNs() == 2'000);
  REQUIRE(found.solutions.size() == 2);
  CHECK(found.solutions[0].changes == std::vector<GoalChange>{{0, 1'500}});
  CHECK(found.solutions[1].changes == std::vector<GoalChange>{{1, 3'000}});
}

TEST_CASE("a combination is listed where it is cheaper than its members alone") {
  ir::Module module = boundModule({500'000, 500'000}, {{0, 1}});
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(2)};
  // Alone one must be 5 times as fast, which costs 2.3; together 5/3 times each, which costs 1.5.
  const GoalFound found = run.found(600'000);
  run.check(600'000, found);
  REQUIRE(found.solutions.size() == 3);
  CHECK(found.solutions[0].changes.size() == 2);
  for (const GoalChange& change : found.solutions[0].changes) CHECK(std::abs(change.step - 1'667) <= 1);
  CHECK(found.solutions[1].changes == std::vector<GoalChange>{{0, 5'000}});
  CHECK(found.solutions[2].changes == std::vector<GoalChange>{{1, 5'000}});
}

TEST_CASE("groups that hide each other are only fast together") {
  ir::Module module = boundModule({100'000, 100'000, 50'000}, {{0, 1}, {1, 2}});
  testing::startAt(module, 0_kernel, 0);
  testing::startAt(module, 1_kernel, 0);
  testing::startAt(module, 2_kernel, 100'000);
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(3)};
  // 50 of the third are not enough; the first two alone save nothing.
  const GoalFound found = run.found(75'000);
  run.check(75'000, found);
  for (const GoalSolution& solution : found.solutions) CHECK(solution.changes.size() >= 2);
}

TEST_CASE("a goal below the floor is out of reach, and one above the measured time is met") {
  ir::Module module = boundModule({600, 300}, {{0, 1}}, {0}, 100);
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(2)};
  const GoalFound low = run.found(99);
  CHECK(!low.isReachable);
  CHECK(low.solutions.empty());
  CHECK(low.floor.limitNs() == 100);
  const GoalFound high = run.found(1'000);
  CHECK(high.isMet);
  CHECK(high.isReachable);
  CHECK(high.solutions.empty());
  CHECK(!run.found(999).isMet);
}

TEST_CASE("the floor itself needs all groups free") {
  ir::Module module =
      boundModule({600'000, 300'000, 200'000, 100'000, 50'000}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, {0}, 100);
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(5)};
  const GoalFound found = run.found(400);
  run.check(400, found);
  REQUIRE(found.solutions.size() == 1);
  CHECK(found.solutions[0].changes.size() == 5);
  for (const GoalChange& change : found.solutions[0].changes) CHECK(change.step == kFree);
}

TEST_CASE("more than three groups are changed if fewer do not reach the goal") {
  ir::Module module = boundModule({1'000, 1'000, 1'000, 1'000, 1'000}, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(5)};
  const GoalFound found = run.found(1'000);
  run.check(1'000, found);
  CHECK(found.solutions.front().changes.size() > 3);
}

TEST_CASE("a run that its host limits next needs both") {
  std::vector<Step> steps;
  for (int layer = 0; layer < 50; ++layer) {
    steps.push_back(Work{16'000});
    steps.push_back(Launch{"gemm", "7", 30'000});
    if (layer % 5 == 4) steps.push_back(Launch{"side", "20", 10'000});
  }
  SimulatedModule simulated({"gemm", "side"}, steps);
  const Predicted run{simulated.module, &simulated, groupsOf(2, true)};
  const double wallNs = run.wallNs({});
  // A layer takes the device 31 us and the host at least 20: half of the time takes both.
  for (const double share : {0.9, 0.7, 0.5, 0.2}) {
    const double targetNs = std::floor(wallNs * share);
    const GoalFound found = run.found(targetNs);
    CHECK(found.isReachable);
    run.check(targetNs, found);
    const auto isSingle = [](const GoalSolution& solution) { return solution.changes.size() == 1; };
    CHECK(std::any_of(found.solutions.begin(), found.solutions.end(), isSingle) == (share >= 0.7));
  }
}

TEST_CASE("groups that overlap are not combined") {
  ir::Module module = boundModule({300'000, 300'000, 300'000}, {{0, 1}, {1, 2}});
  testing::setTimes(module);
  Predicted run{module, nullptr, groupsOf(2)};
  run.groups[0].kernels = ids<ir::KernelId>({0, 1});
  run.groups[1].kernels = ids<ir::KernelId>({1, 2});
  // Alone each must be 12 times as fast; with both 2.572 times as fast the time would do, and would cost less.
  const GoalFound found = run.found(350'000);
  run.check(350'000, found);
  REQUIRE(found.solutions.size() == 2);
  CHECK(found.solutions[0].changes == std::vector<GoalChange>{{0, 12'000}});
  CHECK(found.solutions[1].changes == std::vector<GoalChange>{{1, 12'000}});
  // Together they are tried where no other way is left.
  const GoalFound low = run.found(200'000);
  run.check(200'000, low);
  CHECK(low.solutions.front().changes.size() == 2);
}

TEST_CASE("a search tells how far it is, and what that throws ends it") {
  ir::Module module = boundModule({500'000, 500'000}, {{0, 1}});
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(2)};
  std::vector<double> fractions;
  run.found(600'000, 2'000, [&](double fraction) { fractions.push_back(fraction); });
  REQUIRE(fractions.size() > 10);
  CHECK(std::is_sorted(fractions.begin(), fractions.end()));
  CHECK(fractions.back() <= 1);
  struct Cancelled {};
  CHECK_THROWS_AS(run.found(600'000, 2'000, [](double) { throw Cancelled(); }), Cancelled);
}

TEST_CASE("a search that is cut says so") {
  ir::Module module = boundModule({500'000, 500'000, 200'000, 100'000}, {{0, 1}, {1, 2}, {2, 3}});
  testing::setTimes(module);
  const Predicted run{module, nullptr, groupsOf(4)};
  const GoalFound one = run.found(900'000, 10);
  CHECK(one.isCut);
  CHECK(one.isCutToSingles);
  run.check(900'000, one);
  const GoalFound more = run.found(900'000, 60);
  CHECK(more.isCut);
  CHECK(!more.isCutToSingles);
  CHECK(!run.found(900'000).isCut);
}

}  // namespace
}  // namespace amdahlc
