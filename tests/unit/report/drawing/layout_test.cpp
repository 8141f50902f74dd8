#include "report/drawing/layout.h"

#include <doctest/doctest.h>

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

LayoutRequest diamond() {
  LayoutRequest request;
  for (int i = 0; i < 4; ++i) request.boxes.push_back({100, 20, std::nullopt});
  request.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}};
  return request;
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;
}

TEST_CASE("users are below their producers, and no boxes overlap") {
  const LayoutRequest request = diamond();
  const Layout layout = layOut(request);
  for (const auto& edge : request.edges)
    CHECK(layout.boxes[edge.from].top + layout.boxes[edge.from].height <= layout.boxes[edge.to].top);
  for (size_t a = 0; a < 4; ++a)
    for (size_t b = a + 1; b < 4; ++b) CHECK(!overlap(layout.boxes[a], layout.boxes[b]));
  for (const auto& edge : layout.edges) CHECK(edge.points.size() >= 2);
}

TEST_CASE("from left to right, users are to the right of their producers") {
  LayoutRequest request = diamond();
  request.leftToRight = true;
  const Layout layout = layOut(request);
  CHECK(layout.boxes[0].left + 100 <= layout.boxes[3].left);
}

TEST_CASE("a frame has its boxes inside") {
  LayoutRequest request = diamond();
  request.frames.push_back({std::nullopt, 60});
  request.boxes[1].frame = 0;
  const Layout layout = layOut(request);
  const Rectangle &frame = layout.frames[0], &box = layout.boxes[1];
  CHECK(frame.left <= box.left);
  CHECK(frame.top <= box.top);
  CHECK(box.left + box.width <= frame.left + frame.width);
  CHECK(box.top + box.height <= frame.top + frame.height);
}

TEST_CASE("the cost of a layout counts layers: those that edges cross, pairs that cross the same, those of frames") {
  CHECK(layoutCost(diamond()).points == 1 + 1 + 1 + 1 + 2);
  CHECK(layoutCost(diamond()).pairs == 3 * 3 + 3 * 3);
  CHECK(layoutCost(diamond()).frameLayers == 0);
  LayoutRequest framed = diamond();
  framed.frames = {{std::nullopt, 0}, {0, 0}, {1, 0}};
  framed.boxes[1].frame = 2;
  framed.boxes[3].frame = 0;
  CHECK(layoutCost(framed).points == 6 + 3 * 3);
  CHECK(layoutCost(framed).frameLayers == 2 + 1 + 1);
  framed.edges[0].labelWidth = 10;
  CHECK(layoutCost(framed).points == 2 * 6 + 3 * 3);
  CHECK(layoutCost(framed).pairs == 2 * (3 * 3 + 3 * 3));
  CHECK(layoutCost({}).points == 0);
  LayoutRequest wide;
  for (int i = 0; i < 100; ++i) wide.boxes.push_back({10, 10, std::nullopt});
  for (size_t i = 1; i < 100; ++i) {
    wide.edges.push_back({i - 1, i});
    wide.edges.push_back({0, i});
  }
  CHECK(layoutCost(wide).points == 99 + 99 * 100 / 2);
}

TEST_CASE("the same request gives the same layout") {
  const Layout a = layOut(diamond()), b = layOut(diamond());
  for (size_t i = 0; i < 4; ++i) CHECK(a.boxes[i].left == b.boxes[i].left);
}

}  // namespace
