/// Traces whose events carry the names of nodes.
#pragma once

#include <string_view>
#include <unordered_map>

#include "ir/module.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

/// A run of a graph compiler, or a simulation, may name events after nodes. One event may have the name of a node by
/// chance, but not most of them.
class NamedNodes {
 public:
  NamedNodes(const ir::Module& module, const Timeline& timeline);
  /// Whether more than half of the selected events carry the name of one node.
  bool any() const { return !nodes_.empty(); }
  /// kNone if no node, or several, have the name, or if the trace does not name nodes.
  ir::OpId find(std::string_view name) const {
    const auto node = nodes_.find(name);
    return node == nodes_.end() ? ir::OpId(ir::kNone) : node->second;
  }

 private:
  // Looked up only. Names of several nodes are not in it.
  std::unordered_map<std::string_view, ir::OpId> nodes_;
};

}  // namespace amdahlc::binding
