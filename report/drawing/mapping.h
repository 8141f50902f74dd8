/// Several nodes of a diagram drawn as one, with the sum of their times.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

/// Which nodes and clusters are drawn as one: an index of the first of them.
struct Mapping {
  /// Each is drawn by itself.
  explicit Mapping(const Diagram& diagram);
  std::vector<size_t> node, cluster;
  /// A cluster is mapped to one that it repeats, not to one around it.
  bool ofRepetitions = false;
};

/// The diagram with what is mapped to one node or cluster drawn as one. An edge within one node is left out.
Diagram merged(const Diagram& diagram, Mapping mapping);

/// `layer.3` and `layer.12` are `layer.#`.
std::string withoutNumbers(std::string_view name);

}  // namespace amdahlc::drawing
