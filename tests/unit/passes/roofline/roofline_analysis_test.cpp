#include "passes/roofline/roofline_analysis.h"

#include <doctest/doctest.h>

#include "../kernel_graphs.h"
#include "ir/facets/timed.h"

namespace amdahlc {
namespace {

using testing::boundModule;
using namespace ir::test;

/// Relu kernels of 100 floats each, 800 bytes and 100 operations but for the first, on a device of 1000 bytes and 100
/// operations a ns: 1 ns by operations.
ir::Module measuredModule(const std::vector<int64_t>& durationsNs,
                          const std::vector<std::pair<uint32_t, uint32_t>>& edges) {
  ir::Module module = boundModule(durationsNs, edges);
  for (size_t i = 0; i <= durationsNs.size(); ++i)
    module.values[ir::ValueId(i)].type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(100)});
  ir::TimedFacet timed;
  timed.run.iterations = 1;
  for (const int64_t ns : durationsNs) timed.kernels.push_back({{ns}, ns, 0});
  ir::Cover& cover = module.covers.back();
  cover.facets.set(std::move(timed));
  ir::ModelFit fit;
  fit.fits = true;
  fit.forwards = 1;
  cover.facets.get<ir::BoundFacet>()->fit = fit;
  ir::HardwareDescription device;
  device.key = "test";
  device.devices = {"Test [0-9]"};
  device.memoryBytesPerS = 1'000'000'000'000;
  device.vectorPerS = {{ir::ElementType::Float, 100'000'000'000}};
  module.hardware.descriptions = {device};
  module.timelines.back().target.device = "Test 1";
  return module;
}

/// Without the work of the kernels, which belongs to the manager.
RooflineAnalysis rooflineOfRun(const ir::Module& module) {
  AnalysisManager analyses(module);
  return analyses.get<RooflineAnalysis>(ir::CoverId(static_cast<uint32_t>(module.covers.size() - 1)));
}

TEST_CASE("the description is that of the device") {
  using enum Absence::Reason;
  ir::Module module = measuredModule({10}, {});
  CHECK(rooflineOfRun(module).hardware->key == "test");
  // The whole name must match.
  module.timelines.back().target.device = "Test 12";
  CHECK(rooflineOfRun(module).hardware.absence() == Absence{NoDescription, {"Test 12"}});
  module.timelines.back().target.device.clear();
  CHECK(rooflineOfRun(module).hardware.absence() == Absence{NoDeviceName});
  module.hardware.isChosen = true;
  CHECK(rooflineOfRun(module).hardware->key == "test");
}

TEST_CASE("several descriptions for a device are none") {
  ir::Module module = measuredModule({10}, {});
  module.hardware.descriptions.push_back(module.hardware.descriptions.front());
  module.hardware.descriptions.back().key = "other";
  const RooflineAnalysis facts = rooflineOfRun(module);
  REQUIRE_FALSE(facts.hardware);
  CHECK(describe(*facts.hardware.absence()) ==
        "`test`, `other` are descriptions of `Test 1`; choose one with `-hardware=`");
  CHECK_FALSE(facts.kernels[0_kernel].attainable);
}

TEST_CASE("a kernel has a roof for each of its runs") {
  ir::Module module = measuredModule({10}, {});
  RooflineAnalysis facts = rooflineOfRun(module);
  CHECK(facts.kernels[0_kernel].runs == 1);
  CHECK(facts.kernels[0_kernel].totalNs() == 1);
  CHECK(facts.busyNs == 1);
  // Two forwards, of which one has no event: 2 ns at least, and no comparison.
  ir::BoundFacet& bound = *module.covers.back().facets.get<ir::BoundFacet>();
  bound.fit->forwards = 2;
  facts = rooflineOfRun(module);
  CHECK(facts.kernels[0_kernel].runs == 2);
  CHECK(facts.kernels[0_kernel].totalNs() == 2);
  CHECK(facts.kernels[0_kernel].bound == KernelBound::Compute);
  CHECK_FALSE(facts.kernels[0_kernel].isAtRoof);
}

TEST_CASE("the runs of a kernel in a loop are absent where nobody knows its trips, and where they are too many") {
  using enum Absence::Reason;
  ir::Module module = measuredModule({10, 10}, {{0, 1}});
  // The second operator is in the body of the first.
  ir::Graph body;
  body.parent = ir::OpId(0);
  module.ops[ir::OpId(1)].graph = module.graphs.push_back(body);
  const auto runs = [&] { return rooflineOfRun(module).kernels[1_kernel].runs; };
  CHECK(runs().absence() == Absence{NoTrips});
  ir::BoundFacet& bound = *module.covers.back().facets.get<ir::BoundFacet>();
  bound.kernels[0_kernel].tripCount = 1;
  CHECK(runs() == 1);
  // It has the event of one trip.
  bound.kernels[0_kernel].tripCount = 2;
  CHECK(runs().absence() == Absence{NoTrips});
  bound.fit->forwards = INT64_MAX;
  CHECK(runs().absence() == Absence{LargeWorkTogether});
}

TEST_CASE("at the roof, from a cache, above the peak") {
  // The least times are 0.8 ns by memory and 1 ns by operations.
  const auto boundOf = [](int64_t operationsPerNs, int64_t ns) {
    ir::Module module = measuredModule({ns}, {});
    module.hardware.descriptions.front().vectorPerS = {{ir::ElementType::Float, operationsPerNs * 1'000'000'000}};
    module.hardware.descriptions.front().memoryBytesPerS = 80'000'000'000;
    return rooflineOfRun(module).kernels[0_kernel];
  };
  // By memory 10 ns; by operations 1 ns, or 20.
  CHECK(boundOf(100, 13).bound == KernelBound::Memory);
  CHECK_FALSE(boundOf(100, 13).isAtRoof);
  CHECK(boundOf(100, 12).isAtRoof);
  CHECK(boundOf(100, 10).isAtRoof);
  CHECK(boundOf(100, 9).bound == KernelBound::Cache);
  CHECK_FALSE(boundOf(100, 9).isAtRoof);
  CHECK_FALSE(boundOf(100, 9).isAbovePeak);
  CHECK(boundOf(5, 20).bound == KernelBound::Compute);
  CHECK_FALSE(boundOf(5, 20).isAbovePeak);
  CHECK(boundOf(5, 19).isAbovePeak);
  CHECK(boundOf(5, 19).bound == KernelBound::Compute);
  CHECK(boundOf(5, 9).bound == KernelBound::Cache);
  CHECK(boundOf(5, 9).isAbovePeak);
}

TEST_CASE("factors are least times by measured ones, at most 1") {
  ir::Module module = measuredModule({10, 4, 0}, {{0, 1}, {1, 2}});
  module.hardware.descriptions.front().vectorPerS = {{ir::ElementType::Float, 20'000'000'000}};
  const RooflineAnalysis facts = rooflineOfRun(module);
  const DeviceFactors factors = attainableFactors(module.covers.back(), facts.kernels);
  CHECK(factors.kernels[0_kernel] == Rational::of(1, 2));
  CHECK(factors.kernels[1_kernel] == Rational::of(1));
  CHECK(factors.kernels[2_kernel] == Rational::of(1));
  CHECK(facts.busyNs == 5 + 4);
}

}  // namespace
}  // namespace amdahlc
