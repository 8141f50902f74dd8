#include "report/outputs/model_diagram.h"

#include <vector>

#include "support/printable.h"

namespace amdahlc {

std::string ModelDiagram::valueName(ir::ValueId id) const { return printable(module_.text(module_.values[id].name)); }
std::string ModelDiagram::typeName(ir::ValueId id) const { return printable(ir::describe(module_.values[id].type)); }

size_t ModelDiagram::addNode(drawing::Node node) {
  diagram_.nodes.push_back(std::move(node));
  return diagram_.nodes.size() - 1;
}

size_t ModelDiagram::addTerminal(ir::ValueId id, const char* what) {
  return addNode({.name = valueName(id),
                  .detail = typeName(id),
                  .signature = what,
                  .kind = drawing::NodeKind::Terminal,
                  .facts = {{what, typeName(id)}}});
}

void ModelDiagram::addInputs() {
  for (const ir::ValueId input : module_.graphs[ir::kMainGraph].inputs)
    if (module_.values[input].kind == ir::Value::Kind::Input) inputs_.emplace(input, addTerminal(input, "input"));
}

size_t ModelDiagram::clusterOf(ir::GraphId graph, ir::ScopeId scope) {
  const auto body = bodies_.find(graph);
  std::vector<ir::ScopeId> missing;
  size_t cluster = body == bodies_.end() ? 0 : body->second.cluster;
  for (ir::ScopeId at = scope; at != ir::kRootScope; at = module_.scopes[at].parent) {
    // The modules around an operator are around its body.
    if (body != bodies_.end() && module_.scopes.isWithin(body->second.scope, at)) break;
    if (const auto found = clusters_.find({graph, at}); found != clusters_.end()) {
      cluster = found->second;
      break;
    }
    missing.push_back(at);
  }
  for (; !missing.empty(); missing.pop_back()) {
    diagram_.clusters.push_back({printable(module_.text(module_.scopes[missing.back()].name)), cluster});
    cluster = diagram_.clusters.size() - 1;
    clusters_.emplace(std::pair(graph, missing.back()), cluster);
  }
  return cluster;
}

void ModelDiagram::openBody(ir::GraphId graph, ir::ScopeId scopeOfOperator, size_t node, std::string name) {
  diagram_.clusters.push_back({std::move(name), diagram_.nodes[node].cluster, node});
  bodies_.emplace(graph, Body{diagram_.clusters.size() - 1, scopeOfOperator});
}

}  // namespace amdahlc
