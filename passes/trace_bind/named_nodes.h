/// Traces whose events name the nodes that they ran.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::binding {

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
  void findNodes(const ir::Module& module);
  ir::OpId find(std::string_view name) const;
  Naming resolve(const ir::Module& module, const RuntimeAdapter& runtime, std::string_view text) const;

  const Timeline& timeline_;
  // Looked up only. Names of several nodes are not in it.
  std::unordered_map<std::string_view, ir::OpId> nodes_;
  /// The most parts that a runtime may make of one node's name, because the name holds what separates names.
  size_t mostParts_ = 1;
  /// By the name of the event; looked up only.
  std::unordered_map<uint32_t, Naming> namings_;
  bool any_ = false;
};

}  // namespace amdahlc::binding
