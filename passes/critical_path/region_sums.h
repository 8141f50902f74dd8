/// What lies between a dominator and a vertex below it: how many vertices, and what they weigh together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/dominators.h"
#include "passes/critical_path/longest_paths.h"
#include "support/compressed_rows.h"

namespace amdahlc {

using FlowRows = CompressedRows<uint32_t, uint32_t>;

struct RegionSum {
  PathWeight weight = 0;
  int64_t count = 0;
  RegionSum& operator+=(const RegionSum& other) {
    weight += other.weight;
    count += other.count;
    return *this;
  }
  friend RegionSum operator-(const RegionSum& a, const RegionSum& b) {
    return {a.weight - b.weight, a.count - b.count};
  }
  friend bool operator==(const RegionSum&, const RegionSum&) = default;
};

/// Sums over regions of a directed acyclic graph whose vertices are numbered in a topological order from the entry, 0.
///
/// Objective: for d that dominates p, the sum over R(d, p) = the vertices on paths from d, excluded, to p, included.
/// R(d, p) is what reaches p and is strictly dominated by d.
///
/// Along the dominator tree regions add up: with c = idom(p) and d above c, R(d, p) is the disjoint union of R(d, c)
/// and R(c, p), because every path from d to p goes through c. So one sum a vertex, S(v) over R(idom(v), v), gives all:
/// with T(v) = T(idom(v)) + S(v), the sum over R(d, p) is T(p) - T(d). A vertex with one predecessor has S(v) = w(v).
/// What remains are the joins.
///
/// S of a join j below d = idom(j) is w(j) and the union of what reaches its predecessors. It is walked backwards from
/// them:
/// State: a frontier F of vertices strictly dominated by d, the sum so far.
/// Invariant: S(j) = the sum so far + the sum over all that reaches F below d, F included; both parts are disjoint.
/// Transitions, for v, the highest number of F, and u, the next highest:
///  - F = {v}: the rest is T(v) - T(d). Done.
///  - u is known to reach v: u leaves F. Known is what lies above v in the spanning tree of last predecessors; and for
///    the 64 vertices whose edges enter the most joins from beside (an attention mask's kernel, rotary tables), one bit
///    in each vertex says whether they reach it.
///  - v has dominators numbered above u: v moves up to the first of them, x, and T(v) - T(x) is added. All of R(x, v)
///    has numbers above x, and all that reaches the rest of F has numbers up to u, so nothing is counted twice.
///  - Else w(v) is added and v's predecessors take its place.
///  - A vertex whose only edge leads into the walked part cannot be reached again: the chain of such vertices above it,
///    each with one predecessor, is added at once.
/// Cost: a residual network's joins take O(1) transitions, hence O(E log V) together. Graphs exist where a sum over a
/// union of ancestors is as hard as transitive closure; so transitions are limited, and what needs more is unknown,
/// never wrong.
class RegionSums {
 public:
  /// Transitions that a join may always take: many times what blocks of networks need.
  static constexpr uint64_t kStepsPerJoin = 64;
  /// Further transitions for all joins together, below a second of work; a join may take a sixteenth of what is left.
  static constexpr uint64_t kSharedSteps = 10'000'000;

  /// `predecessors` distinct, by vertex; `weights` what each vertex adds. Keeps references to `tree` and
  /// `predecessors`.
  RegionSums(const ir::DominatorTree& tree, const FlowRows& predecessors, const std::vector<RegionSum>& weights,
             uint64_t stepsPerJoin = kStepsPerJoin, uint64_t sharedSteps = kSharedSteps);

  /// Over R(`above`, `last`), where `above` dominates `last`; none where it takes too long to say.
  std::optional<RegionSum> between(uint32_t above, uint32_t last) const {
    if (unknown_[above] != unknown_[last]) return std::nullopt;
    return total_[last] - total_[above];
  }

 private:
  /// T: from the entry down the dominator tree.
  std::vector<RegionSum> total_;
  /// Joins whose sum is unknown, on the same way.
  std::vector<uint32_t> unknown_;
};

}  // namespace amdahlc
