#include "passes/critical_path/region_sums.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace amdahlc {
namespace {

using Vertex = uint32_t;
constexpr uint32_t kMostShared = 64;

/// Chains of vertices with one edge in and one out. A walk that enters a chain by its last vertex continues above the
/// chain.
class Chains {
 public:
  explicit Chains(const FlowRows& predecessors) : above_(predecessors.size(), 0) {
    std::vector<uint32_t> successors(predecessors.size(), 0);
    for (Vertex v = 1; v < predecessors.size(); ++v) {
      for (const Vertex p : predecessors[v]) ++successors[p];
    }
    for (Vertex v = 1; v < predecessors.size(); ++v) {
      const bool inChain = predecessors[v].size() == 1 && successors[v] == 1;
      above_[v] = inChain ? above_[predecessors[v].front()] : v;
    }
  }

  /// The vertex before the chain that ends with `v`; `v` itself if it is not in a chain.
  Vertex above(Vertex v) const { return above_[v]; }

 private:
  std::vector<Vertex> above_;
};

/// The vertices whose edges enter the most joins from beside (not from the immediate dominator), and the vertices that
/// each of them reaches.
class SharedVertices {
 public:
  SharedVertices(const ir::DominatorTree& tree, const FlowRows& predecessors, const Chains& chains)
      : bit_(tree.size(), 0) {
    // An edge p -> j comes from beside when p is not idom(j).
    std::vector<uint32_t> joins(tree.size(), 0);
    for (Vertex j = 1; j < tree.size(); ++j) {
      if (predecessors[j].size() < 2) continue;
      for (const Vertex p : predecessors[j]) {
        if (p != tree.immediateDominator(j)) ++joins[chains.above(p)];
      }
    }
    std::vector<std::pair<uint32_t, Vertex>> most;
    for (Vertex v = 1; v < tree.size(); ++v) {
      if (joins[v] > 1) most.emplace_back(joins[v], v);
    }
    const size_t count = std::min<size_t>(kMostShared, most.size());
    std::partial_sort(most.begin(), most.begin() + static_cast<ptrdiff_t>(count), most.end(),
                      [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a < b; });
    for (size_t i = 0; i < count; ++i) bit_[most[i].second] = uint64_t{1} << i;
    reachedBy_ = bit_;
    for (Vertex v = 1; v < tree.size(); ++v) {
      for (const Vertex p : predecessors[v]) reachedBy_[v] |= reachedBy_[p];
    }
  }

  /// The vertex's own bit; 0 for most.
  uint64_t bit(Vertex v) const { return bit_[v]; }
  /// Bits of the shared vertices that reach `v`, including `v`.
  uint64_t reachedBy(Vertex v) const { return reachedBy_[v]; }

 private:
  std::vector<uint64_t> bit_, reachedBy_;
};

/// A spanning tree that follows the last predecessor of each vertex. The vertices above a vertex in this tree reach it.
/// In a chain with skips, these are all that reach it.
class LastPredecessorTree {
 public:
  explicit LastPredecessorTree(const FlowRows& predecessors)
      : first_(predecessors.size(), 0), end_(predecessors.size(), 1) {
    const auto count = static_cast<Vertex>(predecessors.size());
    const auto parent = [&](Vertex v) { return *std::max_element(predecessors[v].begin(), predecessors[v].end()); };
    // First sizes of subtrees, then positions in preorder. Parents have lower numbers.
    for (Vertex v = count; v-- > 1;) end_[parent(v)] += end_[v];
    std::vector<uint32_t> next(count, 1);
    for (Vertex v = 1; v < count; ++v) {
      const Vertex above = parent(v);
      first_[v] = next[above];
      next[above] += end_[v];
      next[v] = first_[v] + 1;
      end_[v] += first_[v];
    }
  }

  bool isAbove(Vertex above, Vertex v) const { return first_[above] <= first_[v] && first_[v] < end_[above]; }

 private:
  /// By vertex: the positions of its subtree in preorder.
  std::vector<uint32_t> first_, end_;
};

/// The walks of all joins. Marks are stamps, so that the cost of a walk is linear in the vertices that it visits.
class Walk {
 public:
  Walk(const RegionSums& sums, const ir::DominatorTree& tree, const FlowRows& predecessors,
       const std::vector<RegionSum>& weights)
      : sums_(sums),
        tree_(tree),
        predecessors_(predecessors),
        weights_(weights),
        chains_(predecessors),
        shared_(tree, predecessors, chains_),
        lastPredecessors_(predecessors),
        stamp_(tree.size(), 0) {}

  /// The sum over all vertices that reach the predecessors of `join`, below its immediate dominator.
  std::optional<RegionSum> above(Vertex join, uint64_t limit) {
    ++current_;
    queue_.clear();
    inFrontier_ = 0;
    live_ = 0;
    steps_ = 0;
    sum_ = {};
    bound_ = tree_.immediateDominator(join);
    for (const Vertex p : predecessors_[join]) enter(p);
    while (live_ > 0) {
      if (++steps_ > limit) return std::nullopt;
      const Vertex v = pop();
      forget(shared_.reachedBy(v));
      for (; live_ > 0 && lastPredecessors_.isAbove(top(), v); ++steps_) pop();
      if (live_ == 0) {
        if (!add(bound_, v)) return std::nullopt;
        break;
      }
      const Vertex x = tree_.firstDominatorFrom(v, top());
      if (x != v) {
        if (!add(x, v)) return std::nullopt;
        push(x);
        continue;
      }
      sum_ += weights_[v];
      steps_ += predecessors_[v].size();
      for (const Vertex p : predecessors_[v]) enter(p);
    }
    return sum_;
  }
  /// Transitions of the last walk.
  uint64_t steps() const { return steps_; }

 private:
  /// Adds R(`from`, `to`); false if that is unknown.
  bool add(Vertex from, Vertex to) {
    const auto sum = sums_.between(from, to);
    if (sum) sum_ += *sum;
    return sum.has_value();
  }

  /// Enters a vertex by one of its edges. The dominator is not part of the region. It is in no chain, because two paths
  /// lead from it to the join.
  void enter(Vertex v) {
    if (v == bound_) return;
    const Vertex above = chains_.above(v);
    add(above, v);  // always known: no join is in a chain
    if (above != bound_) push(above);
  }

  void push(Vertex v) {
    const uint64_t bit = shared_.bit(v);
    if (stamp_[v] == current_) {
      // It is still queued. It is in the frontier, unless it was dropped and is now visited again.
      if (bit == 0 || (inFrontier_ & bit) != 0) return;
    } else {
      stamp_[v] = current_;
      queue_.push_back(v);
      std::push_heap(queue_.begin(), queue_.end());
    }
    inFrontier_ |= bit;
    ++live_;
  }

  /// Drops the shared vertices of `bits` from the frontier; they leave the queue when they reach its top.
  void forget(uint64_t bits) {
    live_ -= std::popcount(inFrontier_ & bits);
    inFrontier_ &= ~bits;
  }

  /// The highest vertex of the frontier. Precondition: the frontier is not empty.
  Vertex top() {
    while (shared_.bit(queue_.front()) != 0 && (shared_.bit(queue_.front()) & inFrontier_) == 0) unqueue();
    return queue_.front();
  }
  Vertex pop() {
    const Vertex v = top();
    unqueue();
    inFrontier_ &= ~shared_.bit(v);
    --live_;
    return v;
  }
  void unqueue() {
    stamp_[queue_.front()] = 0;
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
  }

  const RegionSums& sums_;
  const ir::DominatorTree& tree_;
  const FlowRows& predecessors_;
  const std::vector<RegionSum>& weights_;
  Chains chains_;
  SharedVertices shared_;
  LastPredecessorTree lastPredecessors_;
  /// By vertex: the number of the walk that queued it.
  std::vector<uint32_t> stamp_;
  /// A heap, highest first: the frontier and vertices that were dropped from it.
  std::vector<Vertex> queue_;
  /// Bits of the shared vertices in the frontier.
  uint64_t inFrontier_ = 0;
  /// Size of the frontier.
  int live_ = 0;
  uint64_t steps_ = 0;
  uint32_t current_ = 0;
  Vertex bound_ = 0;
  RegionSum sum_;
};

}  // namespace

RegionSums::RegionSums(const ir::DominatorTree& tree, const FlowRows& predecessors,
                       const std::vector<RegionSum>& weights, uint64_t stepsPerJoin, uint64_t sharedSteps)
    : total_(tree.size()), unknown_(tree.size(), 0) {
  Walk walk(*this, tree, predecessors, weights);
  for (Vertex v = 1; v < tree.size(); ++v) {
    const Vertex above = tree.immediateDominator(v);
    total_[v] = total_[above];
    total_[v] += weights[v];
    unknown_[v] = unknown_[above];
    if (predecessors[v].size() < 2) continue;
    const uint64_t own = stepsPerJoin + 4 * predecessors[v].size();
    if (const auto sum = walk.above(v, own + sharedSteps / 16)) {
      total_[v] += *sum;
    } else {
      ++unknown_[v];
    }
    sharedSteps -= std::min(sharedSteps, walk.steps() > own ? walk.steps() - own : 0);
  }
}

}  // namespace amdahlc
