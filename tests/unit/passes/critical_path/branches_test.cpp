#include "passes/critical_path/branches.h"

#include <doctest/doctest.h>

#include "../kernel_graphs.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;

std::vector<ir::Branch> branchesOf(const ir::Module& module, const IdVector<ir::KernelId, PathWeight>& weights) {
  const ir::KernelGraph graph(module, module.covers[0]);
  return findBranches(module, module.covers[0], graph, weights);
}

TEST_CASE("a branch holds what lies between the parting and the join") {
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

TEST_CASE("a graph input is a way into a join, and can be where the ways part") {
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

TEST_CASE("path and sum differ where a branch itself forks") {
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

}  // namespace
}  // namespace amdahlc
