/// Sums over the vertices between a dominator and a vertex below it: their number and their total weight.
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
/// R(d, p) is the set of vertices that reach p and are strictly dominated by d.
///
/// Regions add up along the dominator tree: with c = idom(p) and d above c, R(d, p) is the disjoint union of R(d, c)
/// and R(c, p), because every path from d to p goes through c. So one sum per vertex, S(v) over R(idom(v), v), is
/// enough: with T(v) = T(idom(v)) + S(v), the sum over R(d, p) is T(p) - T(d). A vertex with one predecessor has S(v) =
/// w(v). S of a join needs a walk.
///
/// S of a join j below d = idom(j) is w(j) plus the sum over the union of all vertices that reach its predecessors. The
/// walk goes backwards from them:
/// State: a frontier F of vertices strictly dominated by d, the sum so far.
/// Invariant: S(j) = the sum so far + the sum over F and all vertices below d that reach F. Both parts are disjoint.
/// Transitions, for v, the highest number of F, and u, the next highest:
///  - F = {v}: the rest is T(v) - T(d). Done.
///  - u is known to reach v: u leaves F. This is known for vertices above v in the spanning tree of last predecessors,
///    and for the 64 vertices whose edges enter the most joins from beside (an attention mask's kernel, rotary tables):
///    each vertex has one bit for each of them.
///  - v has dominators numbered above u: the first of them, x, replaces v, and T(v) - T(x) is added. All vertices of
///    R(x, v) have numbers above x, and all vertices that reach the rest of F have numbers up to u. So no vertex is
///    counted twice.
///  - Otherwise w(v) is added, and v's predecessors replace v.
///  - A vertex whose only edge leads into the walked part cannot be reached again: the chain of such vertices above it,
///    each with one predecessor, is added at once.
/// Cost: the joins of a residual network take O(1) transitions each, so O(E log V) together. There are graphs for which
/// a sum over a union of ancestors is as hard as transitive closure. So transitions are limited, and a sum that needs
/// more is unknown.
class RegionSums {
 public:
  /// Transitions that each join may take: many times the number that blocks of networks need.
  static constexpr uint64_t kStepsPerJoin = 64;
  /// Further transitions for all joins together, less than a second of work. A join may take a sixteenth of the
  /// remaining ones.
  static constexpr uint64_t kSharedSteps = 10'000'000;

  /// `predecessors` are distinct, by vertex; `weights` are by vertex. Keeps references to `tree` and `predecessors`.
  RegionSums(const ir::DominatorTree& tree, const FlowRows& predecessors, const std::vector<RegionSum>& weights,
             uint64_t stepsPerJoin = kStepsPerJoin, uint64_t sharedSteps = kSharedSteps);

  /// The sum over R(`above`, `last`); nullopt if it takes too many transitions. Precondition: `above` dominates `last`.
  std::optional<RegionSum> between(uint32_t above, uint32_t last) const {
    if (unknown_[above] != unknown_[last]) return std::nullopt;
    return total_[last] - total_[above];
  }

 private:
  /// T(v), by vertex.
  std::vector<RegionSum> total_;
  /// By vertex: the number of joins with an unknown sum on the path from the entry down the dominator tree.
  std::vector<uint32_t> unknown_;
};

}  // namespace amdahlc
