/// A diagram as what a layout places: boxes with rows of text, frames, and edges between boxes. SVG and the page draw
/// it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/drawing/diagram.h"
#include "report/drawing/layout.h"
#include "report/drawing/stacks.h"

namespace amdahlc::drawing {

/// The rows of a box, with columns that are as wide as their widest text.
struct DrawnTable {
  /// In points. `kBar` is the width of the mark of the critical path at the left of a row.
  static constexpr double kRowHeight = 20, kPadding = 8, kGap = 14, kBar = 4;

  std::vector<std::vector<std::string>> rows;
  std::vector<double> widths;
  double width = 0;
};

struct BoxedDiagram {
  BoxedDiagram(const Diagram& diagram, bool leftToRight);

  Stacks stacks;
  std::vector<Body> bodies;
  /// By box.
  std::vector<DrawnTable> tables;
  /// By edge: its index in the layout; none inside a box.
  std::vector<std::optional<size_t>> edgeAt;
  /// Boxes by stack, frames by cluster without the root.
  LayoutRequest request;
};

}  // namespace amdahlc::drawing
