/// Dominators of directed acyclic graphs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace amdahlc::ir {

/// The dominator tree of a directed acyclic graph whose vertices are numbered in a topological order. Vertex 0, the
/// entry, reaches all others.
///
/// Objective: idom(v), the last vertex other than v on every path from the entry to v.
///
/// Method: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001): idom(v) is the nearest common
/// ancestor, in the tree built so far, of v's predecessors. All of them come before v, so one pass in topological order
/// is exact, without iteration or recursion.
///
/// State: for each vertex its parent in the tree, its depth, and one jump to a higher ancestor. The lengths of jumps
/// are skew-binary numbers (Myers, "An Applicative Random-Access Stack", 1983), so that every ancestor is O(log depth)
/// steps away with O(1) memory per vertex.
///
/// Invariant: a parent has a lower number than its children.
///
/// Boost's `lengauer_tarjan_dominator_tree` recurses along paths, which may be as deep as the graph, and its tree has
/// no jumps.
///
/// Cost: O(E log V) time, O(V) memory. The paper's `intersect` goes up one vertex at a time, which is quadratic if
/// edges skip long chains.
class DominatorTree {
 public:
  using Vertex = uint32_t;

  /// `predecessors(v)` gives a range of vertices below v, not empty, for v = 1 .. count - 1.
  template <typename Predecessors>
  DominatorTree(uint32_t count, const Predecessors& predecessors) {
    nodes_.reserve(count);
    nodes_.push_back({0, 0, 0});
    for (Vertex v = 1; v < count; ++v) {
      Vertex parent = 0;
      bool first = true;
      for (const Vertex p : predecessors(v)) {
        parent = first ? p : nearestCommonDominator(parent, p);
        first = false;
      }
      append(parent);
    }
  }

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }
  /// The immediate dominator of `v`; the entry for the entry itself.
  Vertex immediateDominator(Vertex v) const { return nodes_[v].parent; }
  uint32_t depth(Vertex v) const { return nodes_[v].depth; }

  /// The last vertex on every path from the entry to `a` and on every path to `b`; a vertex dominates itself.
  Vertex nearestCommonDominator(Vertex a, Vertex b) const {
    if (depth(a) < depth(b)) std::swap(a, b);
    a = dominatorAtDepth(a, depth(b));
    while (a != b) {
      // Vertices of the same depth have jumps of the same length.
      const bool far = nodes_[a].jump != nodes_[b].jump;
      a = far ? nodes_[a].jump : nodes_[a].parent;
      b = far ? nodes_[b].jump : nodes_[b].parent;
    }
    return a;
  }

  /// The dominator of `v` that lies `depth` below the entry; at most `v`'s own depth.
  Vertex dominatorAtDepth(Vertex v, uint32_t depth) const {
    while (nodes_[v].depth > depth) v = nodes_[nodes_[v].jump].depth >= depth ? nodes_[v].jump : nodes_[v].parent;
    return v;
  }

  /// The first dominator of `v`, from the entry down, with a number of `least` or more. Precondition: `v` >= `least`.
  Vertex firstDominatorFrom(Vertex v, Vertex least) const {
    while (nodes_[v].parent >= least && v != 0) v = nodes_[v].jump >= least ? nodes_[v].jump : nodes_[v].parent;
    return v;
  }

 private:
  struct Node {
    Vertex parent, jump;
    uint32_t depth;
  };

  void append(Vertex parent) {
    const Node& above = nodes_[parent];
    const Node& far = nodes_[above.jump];
    const bool equalJumps = above.depth - far.depth == far.depth - nodes_[far.jump].depth;
    nodes_.push_back({parent, equalJumps ? far.jump : parent, above.depth + 1});
  }

  std::vector<Node> nodes_;
};

}  // namespace amdahlc::ir
