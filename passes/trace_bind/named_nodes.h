/// Traces that name the nodes which ran: by the names of events, or as operators state them.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

/// Nodes by name; none for a name of several.
class NodesByName {
 public:
  /// None of them.
  NodesByName() = default;
  /// `module` must outlive the object.
  explicit NodesByName(const ir::Module& module);
  ir::OpId of(std::string_view name) const;
  /// Whether no name is that of one node.
  bool empty() const;

 private:
  // Looked up only.
  std::unordered_map<std::string_view, ir::OpId> nodes_;
};

/// What an event says about the nodes that it ran.
struct Naming {
  /// Live operators in the order of their names, distinct. A node that `simplify` absorbed stands for its absorber, if
  /// no other node is named.
  std::vector<ir::OpId> ops;
  /// Only nodes are named that `simplify` folded.
  bool folded = false;
  /// The event ran further nodes, between the first and the last that it names.
  bool range = false;
  /// No node is named, and the runtime inserted the event to convert a tensor.
  bool layout = false;
};

/// A run of a graph compiler, or a simulation, may name events after nodes. One event may have the name of a node by
/// chance, but not most of them. If operators of the run state the nodes that they run, these are used instead
/// (`StatedNodes`).
class NamedNodes {
 public:
  /// Both must outlive it.
  NamedNodes(const ir::Module& module, const Timeline& timeline);
  /// Whether more than half of the selected events that are no conversions name a node, or the runtime always does so,
  /// and no operator states its node.
  bool any() const { return any_; }
  /// Of a selected event. Events of one name have the same object.
  const Naming& of(EventIndex event) const { return namings_.at(timeline_.name[event].index); }

 private:
  Naming resolve(const ir::Module& module, const RuntimeAdapter& runtime, std::string_view text) const;

  const Timeline& timeline_;
  NodesByName nodes_;
  /// The most parts that a runtime may make of one node's name, because the name holds what separates names.
  size_t mostParts_ = 1;
  /// By the name of the event; looked up only.
  std::unordered_map<uint32_t, Naming> namings_;
  bool any_ = false;
};

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
  ir::OpId unstatedUser(const AlternativeGraph& graph, ir::OpId producer, EventIndex event,
                        const IdVector<ir::OpId, bool>& isStated) const;
  std::vector<ir::OpId> fusedWith(const AlternativeGraph& graph, const std::vector<AlternativeId>& holding,
                                  EventIndex event) const;

  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  NodesByName nodes_;
  /// By the name of a result, for runtimes that name a node after it.
  std::unordered_map<std::string_view, ir::OpId> producers_;
  bool any_ = false;
};

}  // namespace amdahlc::binding
