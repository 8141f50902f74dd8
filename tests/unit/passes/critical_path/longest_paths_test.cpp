#include "passes/critical_path/longest_paths.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "../kernel_graphs.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;

LongestPaths analyse(const ir::Module& module, const IdVector<ir::KernelId, PathWeight>& weights) {
  const ir::KernelGraph graph(module, ir::OperatorGraph(module), module.covers[0]);
  return LongestPaths(module, module.covers[0], graph, weights);
}

TEST_CASE("the path takes the longer way, and the other has the difference as slack") {
  const ir::Module module = boundModule({1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const LongestPaths path = analyse(module, {5, 3, 4, 1});
  CHECK(path.length() == 10);
  CHECK(path.path() == ir::test::ids<ir::KernelId>({0, 2, 3}));
  CHECK(path.slack(1_kernel) == 1);
  CHECK(path.slack(2_kernel) == 0);
  CHECK_FALSE(path.critical(1_kernel));
  CHECK(path.ties() == 0);
}

TEST_CASE("of tied ways the one through the lowest id is reported, the other counted") {
  const ir::Module module = boundModule({1, 1, 1, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const LongestPaths path = analyse(module, {5, 4, 4, 1});
  CHECK(path.path() == ir::test::ids<ir::KernelId>({0, 1, 3}));
  CHECK(path.ties() == 1);
  CHECK(path.slack(2_kernel) == 0);
  CHECK_FALSE(path.critical(2_kernel));
}

TEST_CASE("kernels that take no time still lie on the path that leads through them") {
  const ir::Module module = boundModule({1, 1, 1}, {{0, 1}, {1, 2}});
  const LongestPaths path = analyse(module, {0, 7, 0});
  CHECK(path.length() == 7);
  CHECK(path.path() == ir::test::ids<ir::KernelId>({0, 1, 2}));
}

TEST_CASE("separate parts of a graph compete: the path is the longest of all") {
  const ir::Module module = boundModule({1, 1, 1}, {{0, 1}}, {0, 2});
  const LongestPaths path = analyse(module, {2, 2, 9});
  CHECK(path.length() == 9);
  CHECK(path.path() == ir::test::ids<ir::KernelId>({2}));
  CHECK(path.slack(0_kernel) == 5);
}

TEST_CASE("the number of tied paths saturates instead of wrapping") {
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  std::vector<int64_t> durations{1};
  IdVector<ir::KernelId, PathWeight> weights{1};
  // 70 diamonds in a row: 2^70 longest paths.
  for (uint32_t top = 0; top < 210; top += 3) {
    for (auto [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}})
      edges.emplace_back(top + static_cast<uint32_t>(from), top + static_cast<uint32_t>(to));
    durations.insert(durations.end(), 3, 1);
    weights.resize(weights.size() + 3, 1);
  }
  const ir::Module module = boundModule(durations, edges);
  const LongestPaths path = analyse(module, weights);
  CHECK(path.length() == 141);
  CHECK(path.ties() == std::numeric_limits<int64_t>::max() - 1);
}

TEST_CASE("the measured path of a cover without times is not a path of 0 ns") {
  const ir::Module module = boundModule({1, 1}, {{0, 1}});
  REQUIRE_FALSE(module.covers[0].facets.has(ir::Facet::Timed));
  AnalysisManager analyses(module);
  CHECK_THROWS_AS(analyses.get<PathAnalysis>(ir::CoverId(0)), std::logic_error);
}

}  // namespace
}  // namespace amdahlc
