#include <doctest/doctest.h>

#include <limits>

#include "../kernel_graphs.h"
#include "passes/roofline/kernel_work.h"

namespace amdahlc {
namespace {

using testing::boundModule;
using namespace ir::test;

/// Relu kernels; tensor `vi` has `floats[i]` elements, the input `x` one.
ir::Module reluModule(const std::vector<std::pair<uint32_t, uint32_t>>& edges, const std::vector<int64_t>& floats) {
  ir::Module module = boundModule(std::vector<int64_t>(floats.size(), 10), edges);
  for (size_t i = 0; i < floats.size(); ++i)
    module.values[ir::ValueId(i + 1)].type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(floats[i])});
  return module;
}

KernelWorkOf fusedWork(const ir::Module& module, std::initializer_list<uint32_t> kernels) {
  AnalysisManager analyses(module);
  const auto cover = static_cast<uint32_t>(module.covers.size() - 1);
  return analyses.get<KernelWork>(ir::CoverId(cover)).fused(ids<ir::KernelId>(kernels));
}

TEST_CASE("a tensor that only the fused kernels make and use vanishes") {
  // x -> 0 -> 1 -> 2
  const ir::Module module = reluModule({{0, 1}, {1, 2}}, {100, 200, 300});
  const KernelWorkOf two = fusedWork(module, {0, 1});
  CHECK(two.readBytes() == 4);
  CHECK(two.writtenBytes() == 800);
  CHECK(two.flops() == 300);
  const KernelWorkOf all = fusedWork(module, {2, 0, 1, 1});
  CHECK(all.readBytes() == 4);
  CHECK(all.writtenBytes() == 1200);
  CHECK(all.flops() == 600);
}

TEST_CASE("a tensor that another kernel reads is written, and not read again") {
  const ir::Module module = reluModule({{0, 1}, {0, 2}}, {100, 200, 300});
  const KernelWorkOf two = fusedWork(module, {0, 1});
  CHECK(two.readBytes() == 4);
  CHECK(two.writtenBytes() == 400 + 800);
}

TEST_CASE("a tensor that the model returns is written") {
  ir::Module module = reluModule({{0, 1}}, {100, 200});
  module.graphs[ir::kMainGraph].outputs = {ir::ValueId(1u), ir::ValueId(2u)};
  CHECK(fusedWork(module, {0, 1}).writtenBytes() == 400 + 800);
}

TEST_CASE("a tensor that several fused kernels read is read once") {
  const ir::Module module = reluModule({{0, 1}, {0, 2}}, {100, 200, 300});
  const KernelWorkOf two = fusedWork(module, {1, 2});
  CHECK(two.readBytes() == 400);
  CHECK(two.writtenBytes() == 800 + 1200);
}

TEST_CASE("of a kernel whose work is not known, the fused one is not known either") {
  ir::Module module = reluModule({{0, 1}}, {100, 200});
  module.values[ir::ValueId(1u)].type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::named("batch")});
  const KernelWorkOf both = fusedWork(module, {0, 1});
  REQUIRE(both.unknown.has_value());
  CHECK(both.bytes() == 0);
  CHECK(describe(*both.unknown) == "the shape of `v0` is not known");
}

TEST_CASE("work that does not fit 64 bits is not known") {
  ir::Module module = reluModule({{0, 1}}, {100, 200});
  for (const uint32_t value : {1u, 2u})
    module.values[ir::ValueId(value)].type =
        ir::Type::tensor(ir::ElementType::UInt8, {ir::Dim::of(std::numeric_limits<int64_t>::max() / 2 + 1)});
  AnalysisManager analyses(module);
  const auto& work = analyses.get<KernelWork>(ir::CoverId(static_cast<uint32_t>(module.covers.size() - 1)));
  CHECK_FALSE(work.of(0_kernel).unknown.has_value());
  REQUIRE(work.of(1_kernel).unknown.has_value());
  CHECK(work.of(1_kernel).unknown->reason == Absence::Reason::LargeWork);
}

}  // namespace
}  // namespace amdahlc
