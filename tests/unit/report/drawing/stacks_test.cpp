#include "report/drawing/stacks.h"

#include <doctest/doctest.h>

#include "sample_diagram.h"

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

using Boxes = std::vector<std::vector<size_t>>;

TEST_CASE("a chain within a module is one box") { CHECK(Stacks(layers(2)).boxes == Boxes{{0}, {1, 2}, {3, 4}, {5}}); }

TEST_CASE("a node with two users ends a box, and so does one with two producers") {
  Diagram diagram;
  for (const char* name : {"a", "b", "c", "d"}) addNode(diagram, name, 0);
  diagram.edges = {{0, 1, {}}, {1, 2, {}}, {2, 3, {}}};
  CHECK(Stacks(diagram).boxes == Boxes{{0, 1, 2, 3}});
  diagram.edges.push_back({0, 3, {}});
  CHECK(Stacks(diagram).boxes == Boxes{{0}, {1, 2}, {3}});
}

TEST_CASE("an edge with a label is drawn") {
  Diagram diagram;
  for (const char* name : {"a", "b"}) addNode(diagram, name, 0);
  diagram.edges = {{0, 1, "3 us"}};
  CHECK(Stacks(diagram).boxes == Boxes{{0}, {1}});
}

}  // namespace
