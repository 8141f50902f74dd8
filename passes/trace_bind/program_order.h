/// The orders in which operators are expected to launch where the graph leaves a choice.
#pragma once

#include <cstdint>
#include <string_view>

#include "ir/module.h"
#include "support/directed_graph.h"

namespace amdahlc::binding {

enum class OrderKind : uint8_t {
  /// The order of the model's nodes: the program's order if an exporter wrote it and no tool moved a node.
  Model,
  /// By the running numbers that an exporter gave to nodes, to the calls that it took them from, or to constants, if a
  /// tool moved nodes since; depth first along operands where these leave a choice.
  Numbers,
  /// Depth first along operands from the results, as an expression is evaluated. Independent of the order of nodes.
  Operands,
  /// The order in which the operators of the trace state nodes.
  Trace,
  /// The order in which the calls of compiled code run the graph, where others leave calls without a unit.
  Calls,
};

/// For remarks: "the order of the model's nodes".
std::string_view name(OrderKind order);

/// From operators to those that wait for them.
using LaunchGraph = DirectedGraph<ir::OpId>;

class ProgramOrders {
 public:
  ProgramOrders(const ir::Module& module, const LaunchGraph& graph);

  /// Rank of each operator in an order that the graph allows. Of `Numbers` only if it is the likely order. Not of
  /// `Trace` and `Calls`, which the module does not know.
  const IdVector<ir::OpId, uint32_t>& rank(OrderKind kind) const { return ranks_[static_cast<size_t>(kind)]; }
  /// The order to expect first: the model's, unless running numbers show that nodes were moved since the export.
  OrderKind likely() const { return likely_; }

 private:
  IdVector<ir::OpId, uint32_t> ranks_[3];
  OrderKind likely_ = OrderKind::Model;
};

/// Rank of each operator in an order that the graph allows, in which those of a known place (others have
/// `ir::kNoIndex`) are in the order of these, as far as the graph allows it. The others come right before the first one
/// that waits for them, or, if there is none, behind what they wait for.
IdVector<ir::OpId, uint32_t> orderOfPlaces(IdVector<ir::OpId, uint32_t> places, const LaunchGraph& graph);

}  // namespace amdahlc::binding
