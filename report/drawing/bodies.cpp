#include "report/drawing/bodies.h"

namespace amdahlc::drawing {

std::vector<Body> bodiesOf(const Diagram& diagram) {
  std::vector<std::optional<size_t>> first(diagram.clusters.size());
  for (size_t node = 0; node < diagram.nodes.size(); ++node)
    for (size_t at = diagram.nodes[node].cluster; at != 0 && !first[at]; at = diagram.clusters[at].parent)
      first[at] = node;
  std::vector<Body> bodies;
  for (size_t i = 1; i < diagram.clusters.size(); ++i)
    if (const auto owner = diagram.clusters[i].owner; owner && first[i]) bodies.push_back({i, *owner, *first[i]});
  return bodies;
}

}  // namespace amdahlc::drawing
