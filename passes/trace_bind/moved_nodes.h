/// Calls that state no node because the runtime moved, divided or repeated a node that only moves elements.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "passes/trace_bind/observed_run.h"

namespace amdahlc::binding {

/// A runtime that states nodes may run a transposition below the nodes that read its result, once for each of them, and
/// may take one division of a tensor instead of several parts. The operators that it makes for that have names of its
/// own. Which nodes they stem from is told by the node that reads their result: on the paths that lead to it, the
/// nearest node that such an operator may be of and that did not run by itself is the one.
class MovedNodes {
 public:
  /// `run` must outlive it.
  explicit MovedNodes(ObservedRun& run);

  /// What a call that states no node runs.
  struct Movement {
    /// Nodes of one type with one data operand, ascending; the call runs a part of them. Empty if it is not known which
    /// nodes it stems from.
    std::vector<ir::OpId> nodes;
    /// The way to run them that a rule for the call's operator gives; kNoAlternative without one.
    AlternativeId as = kNoAlternative;
    /// Several nodes may be meant.
    bool isAmbiguous = false;
  };
  /// By call of the iteration; empty in a run whose operators state no nodes.
  std::span<const Movement> of(size_t iteration) const { return movements_[iteration]; }

 private:
  void resolve(size_t iteration);
  /// The calls are those of the iteration with these numbers.
  Movement trace(size_t iteration, size_t call, size_t reader, std::span<const ir::OpId> readBy);
  AlternativeId fusedWith(ir::OpId node, size_t iteration, size_t call);
  bool mayBeOf(const Call& call, ir::OpId node) const;
  std::string_view operatorOf(const Call& call) const;
  std::string_view typeOf(ir::OpId node) const;

  ObservedRun& run_;
  std::vector<std::vector<Movement>> movements_;
  /// By node: a call of its own type states it.
  IdVector<ir::OpId, bool> ranItself_;
  /// By node: the alternatives of rules that hold it.
  IdVector<ir::OpId, std::vector<AlternativeId>> holding_;
  /// By the operator of the call, that of its reader, and the nodes of the reader.
  std::map<std::tuple<std::string_view, std::string_view, std::vector<ir::OpId>>, Movement> known_;
};

}  // namespace amdahlc::binding
