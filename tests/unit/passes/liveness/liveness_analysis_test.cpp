#include "passes/liveness/liveness_analysis.h"

#include <doctest/doctest.h>

#include <limits>
#include <utility>

#include "chains.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::livenessOfRun;
using testing::tensorNamed;
using testing::timedModule;

TEST_CASE("a tensor lives from its first use to its last read") {
  //  0 -> 1 -> 2 -> 3, and 0 -> 3
  const ir::Module module = timedModule({10, 20, 30, 40}, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}, {2, 4, 8, 16});
  const Liveness facts = livenessOfRun(module);
  REQUIRE(facts.tensors.size() == 5);
  const TensorId first = tensorNamed(module, facts, "v0");
  CHECK(facts.tensors[first].birth == 0);
  CHECK(facts.tensors[first].death == 4);
  CHECK(facts.tensors[first].bytes == 8);
  REQUIRE(facts.periods[first].size() == 1);
  CHECK(facts.periods[first][0] == InactivePeriod{2, 3, 30});
  // x and v0, v0 and v1, v0 to v2, v0 with v2 and v3.
  CHECK(facts.liveBytes == std::vector<int64_t>{12, 24, 56, 104});
  CHECK(facts.peak == 3u);
}

TEST_CASE("tensors are numbered by first use, what a kernel reads before what it writes") {
  const ir::Module module = timedModule({1, 1, 1}, {{0, 1}, {1, 2}}, {1, 1, 1});
  const Liveness facts = livenessOfRun(module);
  CHECK(tensorNamed(module, facts, "x").index() == 0);
  CHECK(tensorNamed(module, facts, "v0").index() == 1);
  CHECK(tensorNamed(module, facts, "v2").index() == 3);
}

TEST_CASE("what nothing reads has no death, and takes memory while it is written") {
  ir::Module module = timedModule({1, 1, 1}, {{0, 2}}, {4, 100, 1}, {0, 1});
  const Liveness facts = livenessOfRun(module);
  const TensorId unread = tensorNamed(module, facts, "v1");
  CHECK_FALSE(facts.tensors[unread].death.has_value());
  CHECK(facts.isLive(unread, 1));
  CHECK_FALSE(facts.isLive(unread, 2));
  CHECK(facts.peak == 1u);
}

TEST_CASE("tensors of a program are its storages, and those of the host count where there are no others") {
  ir::Module module = timedModule({1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 3}}, {});
  module.frontEnd = ir::FrontEnd::ExecutionTrace;
  // x is there before. v0 is a new storage, and v1 a view of it. v2 is there after, and v3 on the host.
  module.storages = {
      {100, true, false, false}, {40, false, false, false}, {16, false, true, false}, {7, false, false, true}};
  for (const auto& [value, storage] : {std::pair(0u, 0u), {1u, 1u}, {2u, 1u}, {3u, 2u}, {4u, 3u}}) {
    module.values[ir::ValueId(value)].storage = ir::StorageId(storage);
    module.values[ir::ValueId(value)].isWritten = value == 1 || value > 2;
  }
  const Liveness facts = livenessOfRun(module);
  REQUIRE(facts.tensors.size() == 3);
  CHECK(facts.liveBytes == std::vector<int64_t>{140, 40, 56, 16});
  const TensorId made = tensorNamed(module, facts, "v0");
  CHECK(facts.tensors[made].death == 3);
  // The view at kernel 1 is no use.
  REQUIRE(facts.periods[made].size() == 1);
  CHECK(facts.periods[made][0] == InactivePeriod{1, 2, 1});

  for (ir::Storage& storage : module.storages) storage.onHost = true;
  CHECK(livenessOfRun(module).tensors.size() == 4);

  module.storages[ir::StorageId(0)].isAfter = true;
  const Liveness always = livenessOfRun(module);
  CHECK(always.globalBytes == 100);
  CHECK(always.tensors[tensorNamed(module, always, "x")].isGlobal);
  // What is in no storage is no tensor.
  module.values[ir::ValueId(0)].storage = ir::kNone;
  CHECK(livenessOfRun(module).tensors.size() == 3);
}

TEST_CASE("a storage that is there before a program is live from its beginning") {
  ir::Module module = timedModule({1, 1, 1}, {{0, 1}, {1, 2}}, {}, {1});
  module.frontEnd = ir::FrontEnd::ExecutionTrace;
  module.storages = {{100, true, false, false}};
  module.values[ir::ValueId(0)].storage = ir::StorageId(0);
  const Liveness facts = livenessOfRun(module);
  REQUIRE(facts.tensors.size() == 1);
  CHECK(facts.tensors.front().birth == 0);
  CHECK(facts.liveBytes == std::vector<int64_t>{100, 100, 0});
}

TEST_CASE("what the model returns stays to the end") {
  ir::Module module = timedModule({1, 1, 1}, {{0, 1}, {0, 2}}, {1, 50, 1});
  module.graphs[ir::kMainGraph].outputs = {ir::ValueId(2u), ir::ValueId(3u)};
  const Liveness facts = livenessOfRun(module);
  const TensorId returned = tensorNamed(module, facts, "v1");
  CHECK_FALSE(facts.tensors[returned].death.has_value());
  CHECK(facts.tensors[returned].liveEnd == 3);
}

TEST_CASE("a global is always live, and idle around the end of the iteration") {
  ir::Module module = timedModule({10, 20, 30, 40}, {{0, 1}, {1, 2}, {2, 3}}, {1, 1, 1, 1});
  ir::Value weight;
  weight.name = module.strings.intern("w");
  weight.kind = ir::Value::Kind::Constant;
  weight.type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(1000)});
  weight.constant = ir::TensorConstant{weight.type, {}, {}};
  const ir::ValueId id = module.values.push_back(weight);
  module.ops[ir::OpId(1u)].inputs.push_back(id);
  const Liveness facts = livenessOfRun(module);
  const TensorId global = tensorNamed(module, facts, "w");
  REQUIRE_FALSE(global.isNone());
  CHECK(facts.tensors[global].isGlobal);
  CHECK(facts.globalBytes == 4000);
  REQUIRE(facts.periods[global].size() == 1);
  CHECK(facts.periods[global][0] == InactivePeriod{2, 1, 30 + 40 + 10});
  for (const int64_t bytes : facts.liveBytes) CHECK(bytes >= 4000);
}

TEST_CASE("kernels without events are not in the schedule, but what they would make is a tensor") {
  const ir::Module module = timedModule({10, 0, 30}, {{0, 1}, {1, 2}}, {1, 2, 1});
  const Liveness facts = livenessOfRun(module);
  CHECK(facts.kernels == ir::test::ids<ir::KernelId>({0, 2}));
  const TensorId missed = tensorNamed(module, facts, "v1");
  REQUIRE_FALSE(missed.isNone());
  CHECK(facts.tensors[missed].birth == 1);
  CHECK(facts.tensors[missed].death == 2);
}

TEST_CASE("a kernel that only renames is no use, and its result no tensor") {
  ir::Module module = timedModule({10, 0, 30}, {{0, 1}, {1, 2}}, {4, 4, 1});
  module.covers.back().facets.get<ir::BoundFacet>()->kernels[1_kernel].state = ir::KernelState::NoDeviceWork;
  const Liveness facts = livenessOfRun(module);
  CHECK(tensorNamed(module, facts, "v1").isNone());
  const TensorId original = tensorNamed(module, facts, "v0");
  REQUIRE_FALSE(original.isNone());
  // The kernel that reads the other name reads the tensor.
  CHECK(facts.tensors[original].death == 2);
}

TEST_CASE("sizes that are not known are counted and in no sum") {
  ir::Module module = timedModule({1, 1}, {{0, 1}}, {4, 4});
  module.values[ir::ValueId(1u)].type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::named("batch")});
  const Liveness facts = livenessOfRun(module);
  CHECK(facts.unknownSizes == 1);
  CHECK(facts.liveBytes == std::vector<int64_t>{4, 16});
}

TEST_CASE("sums beyond 64 bits are the largest number") {
  ir::Module module = timedModule({1, 1, 1}, {{0, 1}, {1, 2}}, {1, 1, 1});
  for (const uint32_t value : {1u, 2u})
    module.values[ir::ValueId(value)].type =
        ir::Type::tensor(ir::ElementType::UInt8, {ir::Dim::of(std::numeric_limits<int64_t>::max())});
  const Liveness facts = livenessOfRun(module);
  CHECK(facts.liveBytes[1] == std::numeric_limits<int64_t>::max());
  CHECK(facts.liveBytes[2] == std::numeric_limits<int64_t>::max());
  CHECK(facts.peak == 1u);
}

}  // namespace
}  // namespace amdahlc
