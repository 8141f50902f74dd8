/// Diagrams for tests.
#pragma once

#include <string>
#include <vector>

#include "report/drawing/diagram.h"

namespace amdahlc::drawing {

inline size_t addCluster(Diagram& diagram, std::string name, size_t parent) {
  diagram.clusters.push_back({std::move(name), parent});
  return diagram.clusters.size() - 1;
}

inline size_t addNode(Diagram& diagram, std::string name, size_t cluster, int64_t timeNs = 0) {
  Node& node = diagram.nodes.emplace_back();
  node.name = node.signature = std::move(name);
  node.cluster = cluster;
  if (timeNs > 0) {
    NodeTime& time = node.time.emplace();
    time.ns = time.leastNs = time.largestNs = timeNs;
    time.share = static_cast<double>(timeNs) / 1000;
    time.leastLimit = time.largestLimit = 1.5;
  }
  return diagram.nodes.size() - 1;
}

/// A stem, `count` layers of two nodes one after the other, and a head.
inline Diagram layers(size_t count) {
  Diagram diagram;
  diagram.header = {"layers"};
  size_t last = addNode(diagram, "stem", 0, 5);
  const size_t all = addCluster(diagram, "layer", 0);
  for (size_t i = 0; i < count; ++i) {
    const size_t layer = addCluster(diagram, std::to_string(i), all);
    const size_t linear = addNode(diagram, "linear", layer, static_cast<int64_t>(10 + i));
    const size_t relu = addNode(diagram, "relu", layer, 1);
    diagram.edges.push_back({last, linear, {}});
    diagram.edges.push_back({linear, relu, {}});
    last = relu;
  }
  diagram.edges.push_back({last, addNode(diagram, "head", 0, 7), {}});
  return diagram;
}

inline std::vector<std::string> namesOf(const Diagram& diagram) {
  std::vector<std::string> names;
  for (const Node& node : diagram.nodes) names.push_back(node.name);
  return names;
}

}  // namespace amdahlc::drawing
