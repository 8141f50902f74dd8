#include "passes/critical_path/branches.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "../kernel_graphs.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;

std::vector<ir::Branch> branchesOf(const ir::Module& module, const IdVector<ir::KernelId, PathWeight>& weights) {
  const ir::KernelGraph graph(module, ir::OperatorGraph(module), module.covers[0]);
  return findBranches(module, module.covers[0], graph, weights);
}

TEST_CASE("a branch contains the kernels between the dominator and the join") {
  const ir::Module module = boundModule({1, 1, 1, 1, 1}, {{0, 1}, {1, 2}, {0, 3}, {2, 4}, {3, 4}});
  const auto branches = branchesOf(module, {10, 1, 2, 4, 8});
  REQUIRE(branches.size() == 2);
  CHECK(branches[0].join == 4_kernel);
  CHECK(branches[0].from == 0_kernel);
  CHECK(branches[0].via == 2_kernel);
  CHECK(branches[0].kernels == ir::test::ids<ir::KernelId>({1, 2}));
  CHECK(branches[0].pathNs == 3);
  CHECK(branches[1].via == 3_kernel);
  CHECK(branches[1].pathNs == 4);
}

TEST_CASE("an edge straight from the parting is an empty branch") {
  const ir::Module module = boundModule({1, 1, 1}, {{0, 1}, {0, 2}, {1, 2}});
  const auto branches = branchesOf(module, {1, 2, 4});
  REQUIRE(branches.size() == 2);
  CHECK(branches[0].via == 0_kernel);
  CHECK(branches[0].kernels.empty());
  CHECK(branches[0].pathNs == 0);
  CHECK(branches[1].sumNs == 2);
}

TEST_CASE("a graph input is a branch into a join, and can be its dominator") {
  const ir::Module module = boundModule({1, 1}, {{0, 1}}, {0, 1});
  const auto branches = branchesOf(module, {3, 5});
  REQUIRE(branches.size() == 2);
  CHECK(branches[0].join == 1_kernel);
  CHECK_FALSE(branches[0].via.has_value());
  CHECK(branches[0].viaInput == "x");
  CHECK(branches[0].fromInput == "x");
  CHECK(branches[0].pathNs == 0);
  CHECK(branches[1].via == 0_kernel);
  CHECK(branches[1].pathNs == 3);
}

TEST_CASE("path and sum differ if a branch itself forks") {
  //      /-> 1 -\            .
  //  0 --        3 -> 4(join)
  //   \ \-> 2 --/    /
  //    \------------/
  const ir::Module module = boundModule({1, 1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {0, 4}});
  const auto branches = branchesOf(module, {1, 2, 4, 8, 16});
  REQUIRE(branches.size() == 4);
  const ir::Branch& forked = branches[3];
  CHECK(forked.join == 4_kernel);
  CHECK(forked.via == 3_kernel);
  CHECK(forked.kernels == ir::test::ids<ir::KernelId>({1, 2, 3}));
  CHECK(forked.pathNs == 12);
  CHECK(forked.sumNs == 14);
}

TEST_CASE("ways that never met start at the virtual entry") {
  const ir::Module module = boundModule({1, 1, 1}, {{0, 2}, {1, 2}}, {0});
  const auto branches = branchesOf(module, {3, 5, 1});
  REQUIRE(branches.size() == 2);
  CHECK_FALSE(branches[0].from.has_value());
  CHECK(branches[0].fromInput.empty());
  CHECK(branches[1].pathNs == 5);
}

TEST_CASE("an input that every layer uses together with a kernel does not change dominators") {
  // 0 -> 1 -> 3 -> 4 -> 6, with 0 -> 2 -> 3 and 3 -> 5 -> 6; kernel 0 starts with x, and 3 and 6 take y.
  ir::Module module =
      boundModule({1, 1, 1, 1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 6}, {5, 6}});
  ir::Value mask = module.values[ir::ValueId(0)];
  mask.name = module.strings.intern("y");
  const ir::ValueId y = module.values.push_back(mask);
  module.graphs[ir::kMainGraph].inputs.push_back(y);
  module.ops[ir::OpId(3)].inputs.push_back(y);
  module.ops[ir::OpId(6)].inputs.push_back(y);
  const auto branches = branchesOf(module, {1, 2, 4, 8, 16, 32, 64});
  REQUIRE(branches.size() == 6);
  for (const size_t i : {0u, 3u}) {
    CHECK(branches[i].viaInput == "y");
    CHECK(branches[i].fromInput == "y");
    CHECK(branches[i].kernels.empty());
    CHECK(branches[i].pathNs == 0);
    CHECK(branches[i].sumNs == 0);
  }
  CHECK(branches[1].from == 0_kernel);
  CHECK(branches[2].pathNs == 4);
  CHECK(branches[4].from == 3_kernel);
  CHECK(branches[5].pathNs == 32);
}

TEST_CASE("a long chain with a long skip has branches, and lists the last kernels of them") {
  constexpr uint32_t kCount = 300'000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  for (uint32_t i = 1; i < kCount; ++i) edges.emplace_back(i - 1, i);
  edges.emplace_back(0, kCount - 1);
  const ir::Module module = boundModule(std::vector<int64_t>(kCount, 0), edges);
  const auto branches = branchesOf(module, IdVector<ir::KernelId, PathWeight>(kCount, 1));
  REQUIRE(branches.size() == 2);
  CHECK(branches[0].kernelCount == 0);
  CHECK_FALSE(branches[0].isCut());
  CHECK(branches[1].from == 0_kernel);
  CHECK(branches[1].pathNs == kCount - 2);
  CHECK(branches[1].sumNs == kCount - 2);
  CHECK(branches[1].kernelCount == kCount - 2);
  CHECK(branches[1].isCut());
  REQUIRE(branches[1].kernels.size() == kMaxListedKernels);
  CHECK(branches[1].kernels.front() == ir::KernelId(kCount - 1 - kMaxListedKernels));
  CHECK(branches[1].kernels.back() == ir::KernelId(kCount - 2));
}

TEST_CASE("joins that all take the one input are measured in linear time and memory") {
  constexpr uint32_t kCount = 100'000;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  std::vector<uint32_t> fed{0};
  for (uint32_t i = 1; i < kCount; ++i) {
    edges.emplace_back(i - 1, i);
    fed.push_back(i);
  }
  const ir::Module module = boundModule(std::vector<int64_t>(kCount, 0), edges, fed);
  const auto branches = branchesOf(module, IdVector<ir::KernelId, PathWeight>(kCount, 2));
  REQUIRE(branches.size() == 2 * (kCount - 1));
  CHECK(branches.back().fromInput == "x");
  CHECK(branches.back().pathNs == 2 * (kCount - 1));
  CHECK(branches.back().sumNs == 2 * (kCount - 1));
  CHECK(branches.back().kernelCount == kCount - 1);
}

}  // namespace
}  // namespace amdahlc
