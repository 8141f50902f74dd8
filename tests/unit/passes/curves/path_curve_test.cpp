#include "passes/curves/path_curve.h"

#include <doctest/doctest.h>

#include "../measured_run.h"

namespace amdahlc {
namespace {

using namespace ir::test;

PathCurve curveOf(const std::vector<int64_t>& durationsNs, const std::vector<std::pair<uint32_t, uint32_t>>& edges,
                  const std::vector<ir::KernelId>& group) {
  ir::Module module = testing::boundModule(durationsNs, edges);
  testing::setTimes(module);
  const ir::KernelGraph graph(module, ir::OperatorGraph(module), module.covers[0]);
  return pathCurve(module, module.covers[0], graph, group);
}

TEST_CASE("the path has its knee where the other branch is as long") {
  const PathCurve curve = curveOf({5, 8, 4, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {1_kernel});
  REQUIRE(curve.lines.size() == 2);
  CHECK(curve.breaks == std::vector<Rational>{{1, 2}});
  CHECK(curve.knee() == 0);
  CHECK(curve.lines[1].kernels == ids<ir::KernelId>({0, 2, 3}));
  CHECK(curve.lengthNs({1, 1}) == 14);
  CHECK(curve.lengthNs({3, 4}) == 12);
  CHECK(curve.lengthNs({1, 2}) == 10);
  CHECK(curve.lengthNs({0, 1}) == 10);
  CHECK(curve.isComplete);
}

TEST_CASE("a group on every path has no knee") {
  const PathCurve curve = curveOf({5, 8, 4, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {0_kernel, 3_kernel});
  CHECK(curve.lines.size() == 1);
  CHECK(!curve.knee());
  CHECK(curve.lengthNs({1, 2}) == 11);
}

TEST_CASE("a group that is not on the path, or ties with another one, saves nothing") {
  for (const int64_t ns : {4, 8}) {
    const PathCurve curve = curveOf({5, 8, ns, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {2_kernel});
    CHECK(curve.breaks.empty());
    CHECK(curve.lines.front().groupNs == 0);
    CHECK(!curve.knee());
    CHECK(curve.lengthNs({0, 1}) == 14);
  }
}

TEST_CASE("every break is found") {
  // Paths of 12 f, of 4 f + 5 and of 6: they meet at 5/8 and at 1/4.
  const PathCurve curve =
      curveOf({1, 12, 4, 5, 6, 1}, {{0, 1}, {0, 2}, {2, 3}, {0, 4}, {1, 5}, {3, 5}, {4, 5}}, {1_kernel, 2_kernel});
  CHECK(curve.breaks == std::vector<Rational>{{5, 8}, {1, 4}});
  // The slope falls from 12 to 4.
  CHECK(curve.knee() == 0);
  CHECK(curve.lengthNs({1, 2}) == 9);
  CHECK(curve.lengthNs({1, 8}) == 8);
}

TEST_CASE("a break that leaves more than half of the slope is no knee") {
  // 12 f + 1, and 8 f + 3: they meet at 1/2; a third path of 5 is longer below 1/4.
  const PathCurve curve = curveOf(
      {0, 12, 1, 8, 3, 5, 0}, {{0, 1}, {1, 2}, {0, 3}, {3, 4}, {0, 5}, {2, 6}, {4, 6}, {5, 6}}, {1_kernel, 3_kernel});
  CHECK(curve.breaks == std::vector<Rational>{{1, 2}, {1, 4}});
  CHECK(curve.knee() == 1);
}

TEST_CASE("times that are too long for exact breaks are told") {
  const PathCurve curve =
      curveOf({5, int64_t{1} << 60, int64_t{1} << 59, 1}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {1_kernel});
  CHECK(!curve.isComplete);
}

}  // namespace
}  // namespace amdahlc
