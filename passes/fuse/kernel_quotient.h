/// The operator graph seen through the groups chosen so far, kept acyclic while groups are added.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/operator_graph.h"

namespace amdahlc {

/// A topological order of the quotient is maintained as Pearce and Kelly do for inserted edges (ACM JEA 11, 2007):
/// adding a group looks only at what lies between its operators in that order, and moves only what has to move.
class KernelQuotient {
 public:
  /// Every live operator is a group of its own.
  explicit KernelQuotient(const ir::OperatorGraph& graph);

  enum class Outcome : uint8_t {
    Added,
    /// An operator is in another group already.
    Taken,
    /// The quotient would get a cycle.
    Cycle,
    /// More than the bounded number of groups would have to be looked at.
    TooLarge,
  };
  struct Result {
    Outcome outcome = Outcome::Added;
    /// Taken: that operator; Cycle: an operator on the way back.
    ir::OpId op;
  };
  /// Makes a group of `ops`, or changes nothing. With `recompute`, operators of groups that were added with `recompute`
  /// are taken too, as long as `root` is free. An operator in several groups feeds every group that uses and does not
  /// hold it.
  Result add(std::span<const ir::OpId> ops, ir::OpId root, bool recompute);

  /// Whether a group was added that holds `op`.
  bool isGrouped(ir::OpId op) const { return group_[op] != ownGroup(op); }

 private:
  /// The index of an operator by itself, then added groups.
  using Group = uint32_t;
  static Group ownGroup(ir::OpId op) { return op.index(); }
  std::span<const ir::OpId> ops(Group group) const {
    if (group < graph_.size()) return graph_.order().subspan(graph_.position(ir::OpId(group)), 1);
    const auto& [begin, end] = extent_[group - graph_.size()];
    return {members_.data() + begin, members_.data() + end};
  }
  template <typename Visit>
  void forEachHolder(ir::OpId op, const Visit& visit) const;
  bool holds(Group group, ir::OpId op) const;
  bool isInside(ir::OpId op) const { return inside_[op] == addition_; }
  Result searchForward(std::span<const ir::OpId> ops, uint32_t highest);
  bool searchBackward(std::span<const ir::OpId> ops, uint32_t lowest);

  const ir::OperatorGraph& graph_;
  /// The first group that holds it.
  IdVector<ir::OpId, Group> group_;
  /// Of recomputed operators; looked up, never iterated.
  std::unordered_map<ir::OpId, std::vector<Group>> furtherGroups_;
  /// By group: its place in the topological order.
  std::vector<uint32_t> slot_;
  /// By added group, into members_.
  std::vector<std::pair<size_t, size_t>> extent_;
  std::vector<ir::OpId> members_;
  /// By added group.
  std::vector<bool> recomputed_;
  /// The addition that has it.
  IdVector<ir::OpId, uint32_t> inside_;
  /// By group: the search that met it.
  std::vector<uint32_t> seen_;
  /// Places to hand out again.
  std::vector<uint32_t> slots_;
  uint32_t addition_ = 0;
  uint32_t search_ = 0;
  /// Groups that the new one reaches, or that reach it, in between.
  std::vector<Group> after_, before_;
};

}  // namespace amdahlc
