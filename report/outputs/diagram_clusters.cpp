#include "report/outputs/diagram_clusters.h"

#include <vector>

#include "support/printable.h"

namespace amdahlc {

size_t DiagramClusters::of(ir::GraphId graph, ir::ScopeId scope) {
  const auto body = bodies_.find(graph);
  // In a body, the modules around its operator are around the body.
  const bool isOutside = body != bodies_.end() && module_.scopes.isWithin(body->second.scope, scope);
  std::vector<ir::ScopeId> missing;
  size_t cluster = body == bodies_.end() ? 0 : body->second.cluster;
  if (!isOutside)
    for (ir::ScopeId at = scope; at != ir::kRootScope; at = module_.scopes[at].parent) {
      if (body != bodies_.end() && module_.scopes.isWithin(body->second.scope, at)) break;
      if (const auto found = known_.find({graph, at}); found != known_.end()) {
        cluster = found->second;
        break;
      }
      missing.push_back(at);
    }
  for (; !missing.empty(); missing.pop_back()) {
    diagram_.clusters.push_back({printable(module_.text(module_.scopes[missing.back()].name)), cluster});
    cluster = diagram_.clusters.size() - 1;
    known_.emplace(std::pair(graph, missing.back()), cluster);
  }
  return cluster;
}

void DiagramClusters::openBody(ir::GraphId graph, ir::ScopeId scopeOfOperator, size_t node, std::string name) {
  diagram_.clusters.push_back({std::move(name), diagram_.nodes[node].cluster, node});
  bodies_.emplace(graph, Body{diagram_.clusters.size() - 1, scopeOfOperator});
}

}  // namespace amdahlc
