/// Directed graphs in flat arrays, with the topological order that this project uses. They model Boost.Graph's concepts
/// where `support/boost_graph.h` is included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "support/compressed_rows.h"

namespace amdahlc {

/// A graph over dense vertices: integers, or ids with `index()`. Parallel edges stay.
template <typename V>
class DirectedGraph {
 public:
  using Vertex = V;
  /// From the first to the second.
  using Edges = std::vector<std::pair<V, V>>;

  DirectedGraph() = default;
  DirectedGraph(size_t vertices, Edges edges) { setEdges(vertices, std::move(edges)); }

  size_t size() const { return successors_.size(); }
  /// Both in the order of the edges.
  std::span<const V> successors(V vertex) const { return successors_[vertex]; }
  std::span<const V> predecessors(V vertex) const { return predecessors_[vertex]; }

  friend bool operator==(const DirectedGraph&, const DirectedGraph&) = default;

 protected:
  void setEdges(size_t vertices, Edges edges) {
    successors_ = CompressedRows<V, V>(vertices, edges);
    for (auto& [from, to] : edges) std::swap(from, to);
    predecessors_ = CompressedRows<V, V>(vertices, edges);
  }

 private:
  CompressedRows<V, V> successors_, predecessors_;
};

/// The topological order in which, of the vertices whose predecessors are all in it, the one with the lowest rank comes
/// next, of equal ranks the lowest vertex (Kahn's algorithm). Without the vertices of cycles and those behind them.
/// Boost's `topological_sort` gives an order that depends on the order of edges.
template <typename V, typename Ranks>
std::vector<V> lowestFirstOrder(const DirectedGraph<V>& graph, const Ranks& rank) {
  std::vector<V> order;
  order.reserve(graph.size());
  std::vector<uint32_t> missing(graph.size());
  using Ready = std::pair<uint32_t, V>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
  for (size_t i = 0; i < graph.size(); ++i) {
    const V vertex(static_cast<uint32_t>(i));
    missing[i] = static_cast<uint32_t>(graph.predecessors(vertex).size());
    if (missing[i] == 0) ready.emplace(rank[vertex], vertex);
  }
  while (!ready.empty()) {
    const V vertex = ready.top().second;
    ready.pop();
    order.push_back(vertex);
    for (const V next : graph.successors(vertex))
      if (--missing[denseIndex(next)] == 0) ready.emplace(rank[next], next);
  }
  return order;
}

}  // namespace amdahlc
