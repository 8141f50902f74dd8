/// Straight runs of nodes as boxes with a row for each node: a chain of a hundred kernels is read like a table.
#pragma once

#include <cstddef>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// The nodes of a diagram in boxes. Within a box each node is the only user of the one above, which is its only
/// producer, in the same module. Boxes and their rows are in the order of the nodes.
struct Stacks {
  explicit Stacks(const Diagram& diagram);

  std::vector<std::vector<size_t>> boxes;
  /// By node.
  std::vector<size_t> boxOf;
};

}  // namespace amdahlc::drawing
