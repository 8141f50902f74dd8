#include "passes/critical_path/region_sums.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

namespace amdahlc {
namespace {

struct Graph {
  FlowRows predecessors;
  std::vector<RegionSum> weights;
  ir::DominatorTree tree() const {
    return {static_cast<uint32_t>(predecessors.size()), [this](uint32_t v) { return predecessors[v]; }};
  }
};

/// Vertex 0 is the entry. `addVertex` takes distinct predecessors.
class GraphBuilder {
 public:
  GraphBuilder() { addVertex({}); }
  uint32_t addVertex(std::vector<uint32_t> predecessors) {
    std::sort(predecessors.begin(), predecessors.end());
    predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
    for (const uint32_t p : predecessors) graph.predecessors.append(p);
    graph.predecessors.endRow();
    const auto v = static_cast<uint32_t>(graph.weights.size());
    graph.weights.push_back({v == 0 ? 0 : 1 + (v * 7) % 13, v == 0 ? 0 : 1});
    return v;
  }
  Graph graph;
};

/// By definition: the vertices that reach `last` without `above`.
RegionSum byWalking(const Graph& graph, uint32_t above, uint32_t last) {
  std::vector<bool> reaches(graph.weights.size(), false);
  if (last != above) reaches[last] = true;
  RegionSum sum;
  for (uint32_t v = last; v > above; --v) {
    if (!reaches[v]) continue;
    sum += graph.weights[v];
    for (const uint32_t p : graph.predecessors[v]) reaches[p] = reaches[p] || p != above;
  }
  return sum;
}

/// Compares with `byWalking` for each dominator of each vertex; the number of unknown sums.
size_t checkAll(const Graph& graph, uint64_t stepsPerJoin, uint64_t sharedSteps) {
  const ir::DominatorTree tree = graph.tree();
  const RegionSums sums(tree, graph.predecessors, graph.weights, stepsPerJoin, sharedSteps);
  size_t unknown = 0;
  for (uint32_t v = 0; v < tree.size(); ++v) {
    for (uint32_t above = v;; above = tree.immediateDominator(above)) {
      const auto sum = sums.between(above, v);
      if (sum) {
        CHECK(*sum == byWalking(graph, above, v));
      } else {
        ++unknown;
      }
      if (above == 0) break;
    }
  }
  return unknown;
}

Graph randomGraph(uint32_t count, std::mt19937& random) {
  GraphBuilder builder;
  const uint32_t longReach = 2 + random() % 12;  // how rare long edges are
  for (uint32_t v = 1; v < count; ++v) {
    std::vector<uint32_t> predecessors;
    const uint32_t edges = 1 + random() % 3;
    for (uint32_t edge = 0; edge < edges; ++edge) {
      const uint32_t reach = random() % longReach == 0 ? v : std::min(v, 4u);
      predecessors.push_back(v - 1 - random() % reach);
    }
    builder.addVertex(std::move(predecessors));
  }
  return std::move(builder.graph);
}

TEST_CASE("sums over regions are those that walking finds") {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    const Graph graph = randomGraph(2 + random() % 40, random);
    CHECK(checkAll(graph, 1'000'000, 0) == 0);
  }
}

TEST_CASE("a sum beyond the limit of steps is unknown, and all others are correct") {
  std::mt19937 random(5);
  size_t unknown = 0;
  for (int round = 0; round < 200; ++round) unknown += checkAll(randomGraph(40, random), 0, random() % 200);
  CHECK(unknown > 0);
}

/// Layers of a network that all use what `shared` vertices compute before, through a vertex of the layer's own where
/// `converted`.
Graph layers(uint32_t count, uint32_t shared, bool converted) {
  GraphBuilder builder;
  std::vector<uint32_t> tables;
  for (uint32_t i = 0; i < shared; ++i) tables.push_back(builder.addVertex({builder.addVertex({0})}));
  uint32_t x = builder.addVertex({0});
  std::vector<std::vector<uint32_t>> ways(count, tables);
  for (auto& layer : ways) {
    for (uint32_t& way : layer) way = converted ? builder.addVertex({way}) : way;
  }
  for (uint32_t layer = 0; layer < count; ++layer) {
    const uint32_t start = x;
    const uint32_t q = builder.addVertex({start});
    const uint32_t k = builder.addVertex({start});
    x = builder.addVertex({q, k});
    for (const uint32_t way : ways[layer]) x = builder.addVertex({builder.addVertex({x}), way});
    x = builder.addVertex({x, start});
  }
  return std::move(builder.graph);
}

TEST_CASE("values that all layers use cost each of them a few steps") {
  for (const bool converted : {false, true}) {
    for (const uint32_t shared : {1u, 2u, 5u}) {
      CHECK(checkAll(layers(12, shared, converted), 1'000'000, 0) == 0);
      const Graph large = layers(3000, shared, converted);
      const ir::DominatorTree tree = large.tree();
      const RegionSums sums(tree, large.predecessors, large.weights, RegionSums::kStepsPerJoin, 0);
      const uint32_t last = tree.size() - 1;
      const auto sum = sums.between(0, last);
      REQUIRE(sum.has_value());
      CHECK(*sum == byWalking(large, 0, last));
    }
  }
}

TEST_CASE("skips of every length, which cross each other, cost a chain's joins a few steps") {
  GraphBuilder builder;
  builder.addVertex({0});
  for (uint32_t v = 2; v < 3000; ++v) {
    if (v % 5 == 0) {
      builder.addVertex({v - 1, v / 2});
    } else if (v % 8 == 0) {
      builder.addVertex({v - 1, v - 7, 1});
    } else {
      builder.addVertex({v - 1});
    }
  }
  const ir::DominatorTree tree = builder.graph.tree();
  const RegionSums sums(tree, builder.graph.predecessors, builder.graph.weights, 8, 0);
  for (uint32_t v = 1; v < tree.size(); v += 97) {
    const auto sum = sums.between(0, v);
    REQUIRE(sum.has_value());
    CHECK(*sum == byWalking(builder.graph, 0, v));
  }
}

}  // namespace
}  // namespace amdahlc
