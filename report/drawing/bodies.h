/// Bodies of control-flow operators: clusters that are joined to their operator.
#pragma once

#include <cstddef>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

struct Body {
  /// Index into `Diagram::clusters`.
  size_t cluster;
  /// The operator, and the first node of the body.
  size_t owner, first;
};

/// The bodies that have a node, in the order of their clusters.
std::vector<Body> bodiesOf(const Diagram& diagram);

}  // namespace amdahlc::drawing
