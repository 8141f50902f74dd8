/// The modules and bodies of a model as clusters of a diagram.
#pragma once

#include <map>
#include <utility>

#include "ir/module.h"
#include "report/drawing/diagram.h"

namespace amdahlc {

/// Makes the clusters of a diagram, each when it is first asked for.
class DiagramClusters {
 public:
  DiagramClusters(const ir::Module& module, drawing::Diagram& diagram) : module_(module), diagram_(diagram) {}

  /// The cluster of a module in the main graph, or in a body for which `openBody` was called.
  size_t of(ir::GraphId graph, ir::ScopeId scope);
  /// Makes the cluster of a body, inside that of its operator, whose node is known.
  void openBody(ir::GraphId graph, ir::ScopeId scopeOfOperator, size_t node, std::string name);

 private:
  const ir::Module& module_;
  drawing::Diagram& diagram_;
  std::map<std::pair<ir::GraphId, ir::ScopeId>, size_t> known_;
  struct Body {
    size_t cluster;
    ir::ScopeId scope;
  };
  std::map<ir::GraphId, Body> bodies_;
};

}  // namespace amdahlc
