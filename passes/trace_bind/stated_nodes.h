/// Traces whose operators state the nodes that they run.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

/// A runtime that runs the nodes of a model one after another may state the node that each operator runs
/// (`OperatorFacts::node`). Nodes that it made of others have names that it made up, and may repeat.
class StatedNodes {
 public:
  /// Both must outlive it.
  StatedNodes(const ir::Module& module, const Timeline& timeline);
  /// Whether the operator of some selected event states a node of the model.
  bool any() const { return any_; }
  /// The node that the operator around the event states. kNone if it states none, if no node of the model, or several,
  /// have the name, or if the name is made of no node's.
  ir::OpId of(EventIndex event) const;
  /// The rank of each operator in the order in which the events of the first iteration state nodes
  /// (`OrderKind::Trace`).
  IdVector<ir::OpId, uint32_t> order(const AlternativeGraph& graph) const;

 private:
  void findNodes(const ir::Module& module);
  ir::OpId unstatedUser(const AlternativeGraph& graph, ir::OpId producer, EventIndex event,
                        const IdVector<ir::OpId, bool>& isStated) const;
  ir::OpId find(std::string_view name) const;

  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  // Looked up only. Names of several nodes are not in it.
  std::unordered_map<std::string_view, ir::OpId> nodes_;
  /// By the name of a result, for runtimes that name a node after it.
  std::unordered_map<std::string_view, ir::OpId> producers_;
  bool any_ = false;
};

}  // namespace amdahlc::binding
