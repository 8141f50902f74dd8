/// Traces whose events carry the names of nodes.
#pragma once

#include <string_view>
#include <unordered_map>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "runtimes/runtime.h"
#include "timeline/timeline.h"

namespace amdahlc::binding {

/// A run of a graph compiler, or a simulation, may name events after nodes. One event may have the name of a node by
/// chance, but not most of them. A runtime may also state the node that an operator runs.
class NamedNodes {
 public:
  NamedNodes(const ir::Module& module, const Timeline& timeline);
  /// Whether more than half of the selected events carry the name of one node, or the operators state nodes.
  bool any() const { return !nodes_.empty(); }
  /// Whether names of nodes are all that the events have: what is around them is no operator of the model.
  bool only() const { return any() && !stated_; }
  /// The node that the event carries the name of. kNone if no node, or several, have the name, or if the trace does not
  /// name nodes.
  ir::OpId of(EventIndex event) const;
  /// The rank of each operator in the order in which the events of the first iteration name nodes
  /// (`OrderKind::Trace`).
  IdVector<ir::OpId, uint32_t> order(const AlternativeGraph& graph) const;

 private:
  ir::OpId find(std::string_view name) const;

  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  // Looked up only. Names of several nodes are not in it.
  std::unordered_map<std::string_view, ir::OpId> nodes_;
  /// By the name of a result, for runtimes that name a node after it.
  std::unordered_map<std::string_view, ir::OpId> producers_;
  /// The operators of the trace state nodes.
  bool stated_ = false;
};

}  // namespace amdahlc::binding
