/// The live operators of a module in flat arrays: what matching and choosing walk over, millions of times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

/// Dataflow between live operators of the same graph. A use inside a region counts for the operator of this graph that owns the
/// region, and so does a value of this graph that a region hands on.
class OperatorGraph {
 public:
  OperatorGraph(const ir::Module& module, const ir::UseIndex& uses);

  size_t size() const { return position_.size(); }
  /// Number of live operators.
  size_t liveCount() const { return order_.size(); }
  bool isLive(ir::OpId op) const { return position_[op] != ir::kNoIndex; }
  /// Rank in one topological order of all graphs (a region after its operator); kNoIndex for operators that are not live.
  uint32_t position(ir::OpId op) const { return position_[op]; }
  /// Live operators by position.
  std::span<const ir::OpId> order() const { return order_; }
  ir::GraphId graph(ir::OpId op) const { return graph_[op]; }
  std::span<const ir::ValueId> inputs(ir::OpId op) const { return slice(inputs_, inputFirst_, op); }
  std::span<const ir::ValueId> outputs(ir::OpId op) const { return slice(outputs_, outputFirst_, op); }
  /// The live operator that makes the value; kNone for inputs, constants, omitted operands.
  ir::OpId producer(ir::ValueId value) const { return producer_.contains(value) ? producer_[value] : ir::OpId(); }
  /// An initializer, a folded constant, or the result of a live `Constant`.
  bool isConstant(ir::ValueId value) const { return constant_.contains(value) && constant_[value]; }
  /// Operators of the same graph that use an output, or make an operand, of `op`; possibly repeated.
  std::span<const ir::OpId> successors(ir::OpId op) const { return slice(successors_, successorFirst_, op); }
  std::span<const ir::OpId> predecessors(ir::OpId op) const { return slice(predecessors_, predecessorFirst_, op); }
  /// The operator of `graph` that is `op` or whose regions hold it; kNone where `op` lies outside `graph`.
  ir::OpId ancestorIn(ir::GraphId graph, ir::OpId op) const;

 private:
  template <typename Item>
  static std::span<const Item> slice(const std::vector<Item>& items, const std::vector<uint32_t>& first, ir::OpId op) {
    return {items.data() + first[op.index()], items.data() + first[op.index() + 1]};
  }
  void orderOperators(const ir::Module& module);
  void connect(const ir::Module& module, const ir::UseIndex& uses);

  IdVector<ir::OpId, uint32_t> position_;
  std::vector<ir::OpId> order_;
  IdVector<ir::OpId, ir::GraphId> graph_;
  IdVector<ir::GraphId, ir::OpId> parentOf_;
  std::vector<uint32_t> inputFirst_, outputFirst_;
  std::vector<ir::ValueId> inputs_, outputs_;
  IdVector<ir::ValueId, ir::OpId> producer_;
  IdVector<ir::ValueId, bool> constant_;
  std::vector<uint32_t> successorFirst_, predecessorFirst_;
  std::vector<ir::OpId> successors_, predecessors_;
};

}  // namespace amdahlc
