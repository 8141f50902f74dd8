// Boost's algorithms take the graphs of this project.
#include <doctest/doctest.h>

#include <algorithm>
#include <boost/graph/graph_concepts.hpp>
#include <random>

#include "ir/kernel_graph.h"
#include "support/boost_graph.h"

using namespace amdahlc;

namespace {

template <typename Graph>
struct ModelsConcepts {
  BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::AdjacencyGraphConcept<Graph>));
  BOOST_CONCEPT_ASSERT((boost::IncidenceGraphConcept<Graph>));
  using Index = typename boost::property_map<Graph, boost::vertex_index_t>::const_type;
  BOOST_CONCEPT_ASSERT((boost::ReadablePropertyMapConcept<Index, typename Graph::Vertex>));
};
template struct ModelsConcepts<ir::OperatorGraph>;
template struct ModelsConcepts<ir::KernelGraph>;
template struct ModelsConcepts<DirectedGraph<size_t>>;

}  // namespace

TEST_CASE("parallel edges are seen one by one, in their order") {
  const DirectedGraph<uint32_t> graph(3, {{0, 2}, {1, 2}, {0, 1}, {0, 2}});
  std::vector<uint32_t> ends;
  for (auto [edge, end] = out_edges(0u, graph); edge != end; ++edge) ends.push_back(target(*edge, graph));
  CHECK(ends == std::vector<uint32_t>{2, 1, 2});
  CHECK(out_degree(0u, graph) == 3);
}

TEST_CASE("the order with the lowest rank first is topological and leaves out cycles") {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    const uint32_t count = 2 + random() % 20;
    DirectedGraph<uint32_t>::Edges edges;
    for (uint32_t i = 0; i < 2 * count; ++i) {
      const uint32_t a = random() % count, b = random() % count;
      if (a != b) edges.emplace_back(std::min(a, b), std::max(a, b));
    }
    std::vector<uint32_t> rank;
    for (uint32_t i = 0; i < count; ++i) rank.push_back(random() % 4);
    const DirectedGraph<uint32_t> graph(count, edges);
    std::vector<bool> isDone(count, false);
    const std::vector<uint32_t> order = lowestFirstOrder(graph, rank);
    REQUIRE(order.size() == count);
    for (const uint32_t vertex : order) {
      for (uint32_t other = 0; other < count; ++other) {
        const auto before = graph.predecessors(other);
        const bool isReady =
            !isDone[other] && std::all_of(before.begin(), before.end(), [&](uint32_t one) { return isDone[one]; });
        if (other == vertex) REQUIRE(isReady);
        if (isReady) REQUIRE(std::pair(rank[vertex], vertex) <= std::pair(rank[other], other));
      }
      isDone[vertex] = true;
    }
  }
  // 1 and 2 wait for each other, and 3 waits for 2.
  const DirectedGraph<uint32_t> cyclic(5, {{0, 1}, {1, 2}, {2, 1}, {2, 3}});
  CHECK(lowestFirstOrder(cyclic, std::vector<uint32_t>(5)) == std::vector<uint32_t>{0, 4});
}
