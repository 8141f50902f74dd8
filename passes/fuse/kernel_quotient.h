/// The quotient of the operator graph by the groups chosen so far. It stays acyclic while groups are added.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/operator_graph.h"
#include "support/compressed_rows.h"

namespace amdahlc {

/// Whether a group of operators is a kernel, or why not.
enum class Choice : uint8_t {
  Undecided,
  Chosen,
  /// An operator is already in another group.
  Overlaps,
  /// The kernel graph would get a cycle.
  Cycle,
  /// Too many groups lie between its operators.
  TooLarge,
};

/// Maintains a topological order of the quotient like Pearce and Kelly for inserted edges (ACM JEA 11, 2007). Adding a
/// group visits only groups between its operators in that order, and moves only those that must move. Boost.Graph sorts
/// whole graphs only.
class KernelQuotient {
 public:
  /// Every live operator is a group of its own.
  explicit KernelQuotient(const ir::OperatorGraph& graph);

  struct Result {
    Choice choice = Choice::Chosen;
    /// Of `Overlaps` that operator, of `Cycle` one on the path back.
    ir::OpId op = ir::kNone;
  };
  /// Adds a group of `ops`, or changes nothing. With `recompute`, the group may share operators with groups that were
  /// also added with `recompute`, as long as `root` is free. An operator in several groups feeds every group that uses
  /// it and does not contain it.
  Result add(std::span<const ir::OpId> ops, ir::OpId root, bool recompute);

  /// Whether an added group contains `op`.
  bool isGrouped(ir::OpId op) const { return group_[op] != ownGroup(op); }

 private:
  /// The index of an operator for the operator alone; higher numbers for added groups.
  using Group = uint32_t;
  static Group ownGroup(ir::OpId op) { return op.index(); }
  std::span<const ir::OpId> ops(Group group) const {
    if (group < graph_.size()) return graph_.order().subspan(graph_.position(ir::OpId(group)), 1);
    return members_[group - graph_.size()];
  }
  template <typename Visit>
  void forEachHolder(ir::OpId op, const Visit& visit) const;
  bool holds(Group group, ir::OpId op) const;
  bool isInside(ir::OpId op) const { return inside_[op] == addition_; }
  Result searchForward(std::span<const ir::OpId> ops, uint32_t highest);
  bool searchBackward(std::span<const ir::OpId> ops, uint32_t lowest);

  const ir::OperatorGraph& graph_;
  /// The first group that contains it.
  IdVector<ir::OpId, Group> group_;
  /// Further groups of recomputed operators; looked up, never iterated.
  std::unordered_map<ir::OpId, std::vector<Group>> furtherGroups_;
  /// By group: its place in the topological order.
  std::vector<uint32_t> slot_;
  /// By added group.
  CompressedRows<size_t, ir::OpId> members_;
  /// By added group.
  std::vector<bool> recomputed_;
  /// By operator: the number of the last addition that contains it.
  IdVector<ir::OpId, uint32_t> inside_;
  /// By group: the number of the last search that visited it.
  std::vector<uint32_t> seen_;
  /// Slots to reassign.
  std::vector<uint32_t> slots_;
  uint32_t addition_ = 0;
  uint32_t search_ = 0;
  /// Groups between the operators that the new group reaches, and that reach it.
  std::vector<Group> after_, before_;
};

}  // namespace amdahlc
