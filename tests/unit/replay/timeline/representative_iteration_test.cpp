#include "replay/timeline/representative_iteration.h"

#include <doctest/doctest.h>

#include <vector>

using namespace amdahlc;  // NOLINT(google-build-using-namespace)

namespace {

size_t ofWalls(const std::vector<int64_t>& walls, const std::vector<size_t>& leftOut = {}) {
  Timeline timeline;
  timeline.iterations.resize(walls.size());
  for (const size_t i : leftOut) timeline.iterations[i].leftOut = LeftOut::WarmUp;
  return representativeIteration(timeline, walls);
}

TEST_CASE("the representative iteration is a selected one with the median wall time") {
  CHECK(ofWalls({30, 10, 20}) == 2);
  CHECK(ofWalls({99, 30, 10, 20}, {0}) == 3);
}

TEST_CASE("of an even number it is the shorter one in the middle, of equal ones the first") {
  CHECK(ofWalls({40, 30, 10, 20}) == 3);
  CHECK(ofWalls({5, 5, 5, 5}) == 1);
}

TEST_CASE("without a selected iteration it is the first") {
  CHECK(ofWalls({}) == 0);
  CHECK(ofWalls({7, 8}, {0, 1}) == 0);
}

}  // namespace
