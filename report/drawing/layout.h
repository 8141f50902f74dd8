/// Coordinates for boxes and edges: layers by dependence, modules as frames. Graphviz computes them.
///
/// Graphviz gets sizes and indices only, never a text of an input. Units are points, the origin is the upper left
/// corner, y grows downwards.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace amdahlc::drawing {

struct Point {
  double x = 0, y = 0;
};

struct Rectangle {
  double left = 0, top = 0, width = 0, height = 0;
};

struct LayoutRequest {
  struct Box {
    double width = 0, height = 0;
    /// Index into `frames`; nullopt for none.
    std::optional<size_t> frame;
  };
  struct Edge {
    size_t from = 0, to = 0;
    /// Width of a label; 0 for none.
    double labelWidth = 0;
    /// Whether `to` comes after `from` in the layers.
    bool orders = true;
  };
  struct Frame {
    /// An earlier frame.
    std::optional<size_t> parent;
    double labelWidth = 0;
  };
  std::vector<Box> boxes;
  std::vector<Edge> edges;
  /// A frame after the one around it.
  std::vector<Frame> frames;
  bool leftToRight = false;
};

struct Layout {
  double width = 0, height = 0;
  std::vector<Rectangle> boxes, frames;
  struct Route {
    /// A start and three points for each cubic Bezier curve; two points for a line; none for an edge that is not drawn.
    std::vector<Point> points;
    /// The middle of the label.
    std::optional<Point> label;
  };
  std::vector<Route> edges;
};

/// What a layout costs, as counted in the graph: equal requests cost the same on each machine.
struct LayoutCost {
  /// The sum over edges of the layers that each crosses, twice if an edge has a label, which takes a layer of its own;
  /// and three for each frame.
  size_t points = 0;
  /// The sum over layers of the squares of the numbers of edges that cross each: pairs of edges that may cross.
  size_t pairs = 0;
  /// The sum over frames of the layers that each spans.
  size_t frameLayers = 0;
};

/// Edges with `orders` have no cycle.
LayoutCost layoutCost(const LayoutRequest& request);

Layout layOut(const LayoutRequest& request);

}  // namespace amdahlc::drawing
