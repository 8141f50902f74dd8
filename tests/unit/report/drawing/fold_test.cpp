#include "report/drawing/fold.h"

#include <doctest/doctest.h>

#include "sample_diagram.h"

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

using Names = std::vector<std::string>;

TEST_CASE("repeated modules become one, with count, sum and spread") {
  const Diagram folded = fold(layers(20), "auto");
  CHECK(namesOf(folded) == Names{"stem", "linear", "relu", "head"});
  CHECK(folded.nodes[1].count == 20);
  CHECK(folded.nodes[1].time->ns == 390);
  CHECK(folded.nodes[1].time->leastNs == 10);
  CHECK(folded.nodes[1].time->largestNs == 29);
  REQUIRE(folded.clusters.size() == 2);
  CHECK(folded.clusters[1].name == "layer.#");
  CHECK(folded.clusters[1].count == 20);
  CHECK(folded.clusters[1].inSequence);
  CHECK(folded.edges.size() == 3);
}

TEST_CASE("a small diagram is not folded by itself") { CHECK(fold(layers(4), "auto").nodes.size() == 10); }

TEST_CASE("nothing is folded without folding") { CHECK(fold(layers(20), "none").nodes.size() == 42); }

TEST_CASE("a module below the levels that are drawn is one node with the sum of its times") {
  const Diagram outermost = fold(layers(4), "0");
  CHECK(namesOf(outermost) == Names{"stem", "layer", "head"});
  CHECK(outermost.nodes[1].time->ns == 10 + 11 + 12 + 13 + 4);
  CHECK(outermost.nodes[1].kind == NodeKind::Module);
  CHECK(outermost.edges.size() == 2);
  const Diagram layer = fold(layers(4), "1");
  CHECK(namesOf(layer) == Names{"stem", "0", "1", "2", "3", "head"});
}

TEST_CASE("modules that differ inside are not alike") {
  Diagram diagram = layers(20);
  diagram.nodes[3].signature = "gelu";
  // The one before and those after it do not follow each other.
  CHECK(fold(diagram, "auto").nodes.size() == 8);
  // Nor are modules with other edges inside.
  diagram = layers(20);
  diagram.edges.erase(diagram.edges.begin() + 1);
  CHECK(fold(diagram, "auto").nodes.size() == 6);
}

TEST_CASE("modules of one node are not folded: their numbers are names") {
  Diagram diagram;
  for (size_t i = 0; i < 30; ++i) addNode(diagram, "conv", addCluster(diagram, "conv" + std::to_string(i), 0));
  CHECK(fold(diagram, "auto").nodes.size() == 30);
}

TEST_CASE("a module that is called twice has two frames") {
  Diagram diagram;
  const size_t block = addCluster(diagram, "block", 0), relu = addCluster(diagram, "relu", block);
  const size_t a = addNode(diagram, "a", block), first = addNode(diagram, "relu", relu);
  const size_t b = addNode(diagram, "b", block), second = addNode(diagram, "relu", relu);
  diagram.edges = {{a, first, {}}, {first, b, {}}, {b, second, {}}};
  // A frame with one node is a part of its name.
  const Diagram folded = fold(diagram, "none");
  CHECK(namesOf(folded) == Names{"a", "relu: relu", "b", "relu: relu"});
  CHECK(folded.clusters.size() == 2);
}

TEST_CASE("chains with the same names and neighbours become one, but for what is on the critical path") {
  Diagram diagram;
  const size_t source = addNode(diagram, "source", 0);
  for (size_t i = 0; i < 12; ++i) {
    const size_t view = addNode(diagram, "view", 0), mul = addNode(diagram, "mul", 0);
    diagram.edges.push_back({source, view, {}});
    diagram.edges.push_back({view, mul, {}});
  }
  diagram.nodes.back().critical = true;
  const size_t sink = addNode(diagram, "sink", 0);
  diagram.edges.push_back({4, sink, {}});
  const Diagram folded = fold(diagram, "auto");
  // The chain whose last node is needed, and the one on the path, are others.
  CHECK(namesOf(folded) == Names{"source", "view", "mul", "view", "mul", "view", "mul", "sink"});
  CHECK(folded.nodes[1].count == 10);
  CHECK(folded.nodes[2].count == 10);
  CHECK(folded.edges.size() == 7);
  CHECK(fold(diagram, "none").nodes.size() == diagram.nodes.size());
}

TEST_CASE("an infinite limit is the largest, and not the least") {
  Diagram diagram = layers(20);
  diagram.nodes[1].time->leastLimit = diagram.nodes[1].time->largestLimit = std::nullopt;
  const Diagram folded = fold(diagram, "auto");
  CHECK(folded.nodes[1].time->leastLimit == 1.5);
  CHECK(!folded.nodes[1].time->largestLimit);
}

TEST_CASE("many modules are drawn as nodes until a person can read the picture") {
  Diagram diagram;
  const size_t outer = addCluster(diagram, "outer", 0);
  for (size_t i = 0; i < 40; ++i) {
    const size_t inner =
        addCluster(diagram, std::string("m") + static_cast<char>('a' + i % 26) + (i < 26 ? "x" : "y"), outer);
    for (size_t k = 0; k < 10; ++k) {
      const size_t node = addNode(diagram, "op" + std::to_string(i), inner);
      if (k > 0) diagram.edges.push_back({node - 1, node, {}});
    }
  }
  CHECK(fold(diagram, "auto").nodes.size() == 40);
}

}  // namespace
