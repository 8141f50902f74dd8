/// `DirectedGraph`, and every class that is one, as a model of Boost.Graph's concepts VertexListGraph, AdjacencyGraph
/// and IncidenceGraph. Nothing is copied: edges are made while they are visited. For .cpp files that call Boost's
/// algorithms, because it takes a second to compile.
#pragma once

#include <boost/graph/graph_traits.hpp>
#include <boost/graph/properties.hpp>
#include <boost/iterator/counting_iterator.hpp>
#include <boost/iterator/transform_iterator.hpp>
#include <concepts>
#include <utility>

#include "support/directed_graph.h"

namespace amdahlc {

/// Parallel edges are equal.
template <typename V>
struct DirectedEdge {
  V from, to;
  friend bool operator==(const DirectedEdge&, const DirectedEdge&) = default;
};

template <typename V>
struct EdgeFrom {
  V from;
  DirectedEdge<V> operator()(V to) const { return {from, to}; }
};

template <typename V>
struct VertexAt {
  V operator()(uint32_t index) const { return V(index); }
};

template <typename V>
using OutEdgeIterator = boost::transform_iterator<EdgeFrom<V>, const V*>;
template <typename V>
using VertexIterator = boost::transform_iterator<VertexAt<V>, boost::counting_iterator<uint32_t>>;

// Boost prescribes these names.
// NOLINTBEGIN(readability-identifier-naming)

/// Boost's vertex index.
template <typename V>
struct VertexIndex {
  using key_type = V;
  using value_type = size_t;
  using reference = size_t;
  using category = boost::readable_property_map_tag;
  friend size_t get(VertexIndex, V vertex) { return denseIndex(vertex); }
};

template <typename V>
size_t num_vertices(const DirectedGraph<V>& graph) {
  return graph.size();
}
template <typename V>
std::pair<VertexIterator<V>, VertexIterator<V>> vertices(const DirectedGraph<V>& graph) {
  const auto at = [](size_t index) {
    return VertexIterator<V>(boost::counting_iterator<uint32_t>(static_cast<uint32_t>(index)));
  };
  return {at(0), at(graph.size())};
}
template <typename V>
std::pair<const V*, const V*> adjacent_vertices(V vertex, const DirectedGraph<V>& graph) {
  const auto next = graph.successors(vertex);
  return {next.data(), next.data() + next.size()};
}
template <typename V>
std::pair<OutEdgeIterator<V>, OutEdgeIterator<V>> out_edges(V vertex, const DirectedGraph<V>& graph) {
  const auto [begin, end] = adjacent_vertices(vertex, graph);
  return {{begin, {vertex}}, {end, {vertex}}};
}
template <typename V>
size_t out_degree(V vertex, const DirectedGraph<V>& graph) {
  return graph.successors(vertex).size();
}
template <typename V>
V source(const DirectedEdge<V>& edge, const DirectedGraph<V>&) {
  return edge.from;
}
template <typename V>
V target(const DirectedEdge<V>& edge, const DirectedGraph<V>&) {
  return edge.to;
}
template <typename V>
VertexIndex<V> get(boost::vertex_index_t, const DirectedGraph<V>&) {
  return {};
}

template <typename Graph>
concept IsDirectedGraph = std::derived_from<Graph, DirectedGraph<typename Graph::Vertex>>;

}  // namespace amdahlc

template <amdahlc::IsDirectedGraph Graph>
struct boost::graph_traits<Graph> {
  struct traversal_category : incidence_graph_tag, adjacency_graph_tag, vertex_list_graph_tag {};
  using directed_category = directed_tag;
  using edge_parallel_category = allow_parallel_edge_tag;
  using vertex_descriptor = typename Graph::Vertex;
  using edge_descriptor = amdahlc::DirectedEdge<vertex_descriptor>;
  using vertex_iterator = amdahlc::VertexIterator<vertex_descriptor>;
  using adjacency_iterator = const vertex_descriptor*;
  using out_edge_iterator = amdahlc::OutEdgeIterator<vertex_descriptor>;
  using edge_iterator = void;
  using vertices_size_type = size_t;
  using edges_size_type = size_t;
  using degree_size_type = size_t;
  static vertex_descriptor null_vertex() { return vertex_descriptor(UINT32_MAX); }
};

template <amdahlc::IsDirectedGraph Graph>
struct boost::property_map<Graph, boost::vertex_index_t> {
  using type = amdahlc::VertexIndex<typename Graph::Vertex>;
  using const_type = type;
};

// NOLINTEND(readability-identifier-naming)
