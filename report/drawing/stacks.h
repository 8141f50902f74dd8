/// Nodes that stand together in a picture: straight runs, and bodies with their operators.
#pragma once

#include <cstddef>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// The nodes of a diagram in boxes with a row for each: a chain of a hundred kernels is read like a table. Within a box
/// each node is the only user of the one above, which is its only producer, in the same module. Boxes and their rows
/// are in the order of the nodes.
struct Stacks {
  explicit Stacks(const Diagram& diagram);

  std::vector<std::vector<size_t>> boxes;
  /// By node.
  std::vector<size_t> boxOf;
};

/// The body of a control-flow operator: a cluster that is joined to its operator.
struct Body {
  /// Index into `Diagram::clusters`.
  size_t cluster;
  /// The operator, and the first node of the body.
  size_t owner, first;
};

/// The bodies that have a node, in the order of their clusters.
std::vector<Body> bodiesOf(const Diagram& diagram);

}  // namespace amdahlc::drawing
