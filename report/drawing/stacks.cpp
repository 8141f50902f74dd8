#include "report/drawing/stacks.h"

namespace amdahlc::drawing {

Stacks::Stacks(const Diagram& diagram) : boxOf(diagram.nodes.size()) {
  const size_t count = diagram.nodes.size();
  // By node: number of edges, and the producer of a node with one.
  std::vector<size_t> users(count, 0), producers(count, 0), producer(count, 0);
  std::vector<bool> isOwner(count, false), isLabelled(count, false);
  for (const Edge& edge : diagram.edges) {
    ++users[edge.from];
    ++producers[edge.to];
    producer[edge.to] = edge.from;
    if (!edge.label.empty()) isLabelled[edge.to] = true;
  }
  for (const Cluster& cluster : diagram.clusters)
    if (cluster.owner) isOwner[*cluster.owner] = true;
  for (size_t node = 0; node < count; ++node) {
    const Node& here = diagram.nodes[node];
    const size_t above = producer[node];
    const bool continues = producers[node] == 1 && above < node && users[above] == 1 && !isLabelled[node] &&
                           !isOwner[above] && here.kind != NodeKind::Terminal &&
                           diagram.nodes[above].kind != NodeKind::Terminal &&
                           diagram.nodes[above].cluster == here.cluster;
    boxOf[node] = continues ? boxOf[above] : boxes.size();
    if (!continues) boxes.emplace_back();
    boxes[boxOf[node]].push_back(node);
  }
}

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
