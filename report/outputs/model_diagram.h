/// What pictures of a model share: its modules and bodies as clusters, its inputs and outputs as nodes.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "ir/module.h"
#include "report/drawing/diagram.h"

namespace amdahlc {

class ModelDiagram {
 protected:
  ModelDiagram(const ir::Module& module, bool docStrings) : module_(module), docStrings_(docStrings) {}

  std::string valueName(ir::ValueId id) const;
  std::string typeName(ir::ValueId id) const;

  size_t addNode(drawing::Node node);
  /// Of an input or output of the graph.
  size_t addTerminal(ir::ValueId id, const char* what);
  /// Those of the main graph.
  void addInputs();

  /// The cluster of a module in the main graph, or in a body for which `openBody` was called. It is made when it is
  /// first asked for.
  size_t clusterOf(ir::GraphId graph, ir::ScopeId scope);
  /// Makes the cluster of a body, inside that of its operator, whose node is known.
  void openBody(ir::GraphId graph, ir::ScopeId scopeOfOperator, size_t node, std::string name);

  const ir::Module& module_;
  const bool docStrings_;
  drawing::Diagram diagram_;
  /// Nodes of inputs of the main graph.
  std::map<ir::ValueId, size_t> inputs_;

 private:
  struct Body {
    size_t cluster;
    ir::ScopeId scope;
  };
  std::map<std::pair<ir::GraphId, ir::ScopeId>, size_t> clusters_;
  std::map<ir::GraphId, Body> bodies_;
};

}  // namespace amdahlc
