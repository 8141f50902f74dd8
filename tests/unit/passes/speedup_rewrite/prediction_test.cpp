#include "passes/speedup_rewrite/scenario_predictions.h"

#include <doctest/doctest.h>

#include "../measured_run.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;
using testing::startAt;

Prediction predictFor(ir::Module& module, const IdVector<ir::KernelId, Rational>& kernels,
                      Rational unbound = Rational::of(1)) {
  testing::setTimes(module);
  const testing::RunToPredict predicted(module);
  const RunPredictor& predictor = predicted.predictor;
  RunChanges changes = predictor.noChanges();
  changes.device.kernels = kernels;
  changes.device.unbound.fill(unbound);
  return *predict(module, predicted.run, predictor, {}, changes);
}

TEST_CASE("without overlap a factor shortens its kernel and the rest stays") {
  ir::Module module = boundModule({90, 10}, {{0, 1}}, {0}, 25);
  const Prediction prediction = predictFor(module, {{1, 3}, {1, 1}});
  CHECK(prediction.times.busyNs == 40);
  CHECK(prediction.times.wallNs == 65);
  CHECK(prediction.pathNs == 40);
  CHECK(prediction.factors == std::vector<std::pair<ir::KernelId, Rational>>{{0_kernel, {1, 3}}});
}

TEST_CASE("if kernels overlap the slower factor decides") {
  ir::Module module = boundModule({100, 100}, {{0, 1}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  // 60 alone at 1/2, 40 together at 1, 60 alone at 1.
  CHECK(predictFor(module, {{1, 2}, {1, 1}}).times.busyNs == 130);
}

TEST_CASE("factor 0 for one kernel is exactly its limit") {
  ir::Module module = boundModule({100, 100, 7}, {{0, 1}, {1, 2}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  startAt(module, 2_kernel, 200);
  for (const ir::KernelId kernel : ids<ir::KernelId>({0, 1, 2})) {
    IdVector<ir::KernelId, Rational> factors(3, {1, 1});
    factors[kernel] = {0, 1};
    const Prediction prediction = predictFor(module, factors);
    CHECK(prediction.times.busyNs == module.covers[0].facets.get<ir::TimedFacet>()->kernels[kernel].busyWithoutNs);
  }
}

TEST_CASE("an event without a kernel keeps its time, also beneath a faster one") {
  ir::Module module = boundModule({100, 100}, {{0, 1}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  testing::bindingOf(module, 1_kernel).events.clear();
  CHECK(predictFor(module, {{0, 1}, {1, 1}}).times.busyNs == 100);
  // 60 at 1/2, 100 at 1/4: the slower of both where they overlap.
  const Prediction both = predictFor(module, {{1, 2}, {1, 1}}, {1, 4});
  CHECK(both.times.busyNs == 65);
}

TEST_CASE("a slow-down is predicted as well") {
  ir::Module module = boundModule({90, 10}, {{0, 1}});
  CHECK(predictFor(module, {{3, 2}, {1, 1}}).times.busyNs == 145);
}

TEST_CASE("the path may move to another branch") {
  ir::Module module = boundModule({5, 3, 4, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const Prediction prediction = predictFor(module, {{1, 1}, {1, 1}, {1, 2}, {1, 1}});
  CHECK(prediction.path == ir::test::ids<ir::KernelId>({0, 1, 3}));
  CHECK(prediction.pathNs == 9);
}

TEST_CASE("times beyond the limit are not predicted") {
  ir::Module module = boundModule({90, 10}, {{0, 1}});
  testing::setTimes(module);
  const testing::RunToPredict predicted(module);
  const RunPredictor& predictor = predicted.predictor;
  const auto times = [&](int64_t factor) {
    RunChanges changes = predictor.noChanges();
    changes.device.kernels[0_kernel] = Rational::of(factor);
    return predictor.predict(changes);
  };
  CHECK(times(1'000'000'000'000)->busyNs == 90'000'000'000'010);
  CHECK_FALSE(times(1'000'000'000'000'000'000));
}

}  // namespace
}  // namespace amdahlc
