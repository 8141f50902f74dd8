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

}  // namespace amdahlc::drawing
