/// The operators of a module as a graph in flat arrays: uses, producers, regions, known values, a topological order and
/// dataflow. All passes that traverse operators use it, because they do so millions of times.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "ir/known_values.h"
#include "ir/module.h"
#include "support/directed_graph.h"

namespace amdahlc::ir {

/// Edges are dataflow and stated order between live operators of the same graph, possibly repeated. A use inside a
/// region counts for the operator of this graph that owns the region, and so does a value of this graph that a region
/// returns.
///
/// An analysis of the module: linear in its size. It is dropped when a pass changes operators or values. It does not
/// depend on facets and covers.
class OperatorGraph : public DirectedGraph<OpId> {
 public:
  static constexpr const char* kName = "operator-graph";
  static constexpr FacetSet kReads{Facet::Simplified};
  explicit OperatorGraph(const Module& module);

  struct Use {
    OpId op;
    uint32_t operand;
    friend bool operator==(const Use&, const Use&) = default;
  };

  // Operators.
  size_t liveCount() const { return order_.size(); }
  bool isLive(OpId op) const { return position_[op] != kNoIndex; }
  /// Rank in one topological order of all graphs (a region after its operator); kNoIndex for operators that are not
  /// live.
  uint32_t position(OpId op) const { return position_[op]; }
  /// Live operators by position.
  std::span<const OpId> order() const { return order_; }
  GraphId graph(OpId op) const { return graph_[op]; }
  std::span<const ValueId> inputs(OpId op) const { return inputs_[op]; }
  std::span<const ValueId> outputs(OpId op) const { return outputs_[op]; }

  // Values.
  /// The live operator that produces the value; kNone for inputs, constants, omitted operands.
  OpId producer(ValueId value) const { return producer_.contains(value) ? producer_[value] : OpId(); }
  /// From what the value is known; results of operators that are not live are not.
  KnownFrom knownFrom(ValueId value) const { return known_.contains(value) ? known_[value] : KnownFrom::Run; }
  bool isConstant(ValueId value) const { return knownFrom(value) == KnownFrom::Model; }
  /// Whether it is a constant, or computed from constants alone; of an operator, whether all its results are.
  bool isKnownBeforeRun(ValueId value) const { return knownFrom(value) >= KnownFrom::Constants; }
  bool isKnownBeforeRun(OpId op) const;
  /// Uses by live operators in ascending (op, operand) order; a use inside a region is listed with the operator inside
  /// the region.
  std::span<const Use> uses(ValueId value) const { return uses_[value]; }
  /// Operators whose regions return the value: a value of the region, or one of a graph around it. Ascending.
  std::span<const OpId> returnedBy(ValueId value) const { return returnedBy_[value]; }
  /// Whether a graph, the main one or a region, returns the value.
  bool isGraphOutput(ValueId value) const { return graphOutput_[value]; }

  // Regions.
  /// The operator with the region `graph`; kNone for the main graph.
  OpId parent(GraphId graph) const { return parent_[graph]; }
  /// The operator of `graph` that is `op` or contains it in a region; kNone if `op` is outside of `graph`.
  OpId ancestorIn(GraphId graph, OpId op) const;

  friend bool operator==(const OperatorGraph&, const OperatorGraph&) = default;

 private:
  void copyOperands(const Module& module);
  void orderOperators(const Module& module);
  void classifyValues(const Module& module);
  void collectUses(const Module& module);
  void connect(const Module& module);

  IdVector<OpId, uint32_t> position_;
  std::vector<OpId> order_;
  IdVector<OpId, GraphId> graph_;
  IdVector<GraphId, OpId> parent_;
  CompressedRows<OpId, ValueId> inputs_, outputs_;
  IdVector<ValueId, OpId> producer_;
  IdVector<ValueId, KnownFrom> known_;
  IdVector<ValueId, bool> graphOutput_;
  CompressedRows<ValueId, Use> uses_;
  CompressedRows<ValueId, OpId> returnedBy_;
};

}  // namespace amdahlc::ir
