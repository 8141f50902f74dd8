#include "report/drawing/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace amdahlc::drawing {
namespace {

/// The sum of two times, with the spread of both.
void add(NodeTime& sum, const NodeTime& other) {
  // No limit is an infinite one.
  const auto isLess = [](const std::optional<double>& a, const std::optional<double>& b) {
    return a && (!b || *a < *b);
  };
  sum.ns += other.ns;
  sum.share += other.share;
  sum.leastNs = std::min(sum.leastNs, other.leastNs);
  sum.largestNs = std::max(sum.largestNs, other.largestNs);
  sum.leastLimit = std::min(sum.leastLimit, other.leastLimit, isLess);
  sum.largestLimit = std::max(sum.largestLimit, other.largestLimit, isLess);
  for (size_t i = 0; i < sum.predictedNs.size(); ++i) sum.predictedNs[i] += other.predictedNs[i];
}

/// The end of a chain of mappings: a module may be mapped into one that is mapped itself.
void followToEnd(std::vector<size_t>& target) {
  for (size_t i = 0; i < target.size(); ++i) {
    size_t end = i;
    while (target[end] != end) end = target[end];
    for (size_t at = i; target[at] != end;) at = std::exchange(target[at], end);
  }
}

/// The innermost module that stands for several and has both nodes; 0 for none.
size_t repeatedAround(const Diagram& diagram, size_t a, size_t b) {
  const auto isAround = [&](size_t module, size_t node) {
    size_t at = diagram.nodes[node].cluster;
    while (at != module && at != 0) at = diagram.clusters[at].parent;
    return at == module;
  };
  size_t module = diagram.nodes[a].cluster;
  while (module != 0 && (diagram.clusters[module].count == 1 || !isAround(module, b)))
    module = diagram.clusters[module].parent;
  return module;
}

/// A node that stands for several in different states looks like those that ran, and names the others.
void addStates(Node& node, const std::map<NodeKind, int64_t>& states) {
  if (states.size() < 2) return;
  if (node.kind != NodeKind::Module) node.kind = states.contains(NodeKind::Measured) ? NodeKind::Measured : node.kind;
  const auto add = [&](NodeKind kind, const char* what) {
    if (const auto found = states.find(kind); found != states.end())
      node.name += fmt::format(", {} {}", found->second, what);
  };
  add(NodeKind::Missed, "missed");
  add(NodeKind::Ambiguous, "ambiguous");
  add(NodeKind::NotExecuted, "did not run");
}

}  // namespace

Diagram merged(const Diagram& diagram, Mapping mapping) {
  followToEnd(mapping.node);
  followToEnd(mapping.cluster);
  Diagram out;
  out.header = diagram.header;
  out.scenarios = diagram.scenarios;
  out.notes = diagram.notes;
  out.clusters.clear();
  std::vector<size_t> clusterAt(diagram.clusters.size()), nodeAt(diagram.nodes.size());
  for (size_t i = 0; i < diagram.clusters.size(); ++i) {
    if (mapping.cluster[i] != i) continue;
    clusterAt[i] = out.clusters.size();
    out.clusters.push_back(diagram.clusters[i]);
  }
  for (size_t i = 0; i < diagram.clusters.size(); ++i) {
    if (mapping.cluster[i] == i) continue;
    clusterAt[i] = clusterAt[mapping.cluster[i]];
    if (mapping.ofRepetitions) out.clusters[clusterAt[i]].count += diagram.clusters[i].count;
  }
  for (Cluster& cluster : out.clusters) cluster.parent = clusterAt[cluster.parent];
  std::vector<std::map<NodeKind, int64_t>> states;
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    const Node& node = diagram.nodes[i];
    if (mapping.node[i] == i) {
      nodeAt[i] = out.nodes.size();
      out.nodes.push_back(node);
      out.nodes.back().cluster = clusterAt[node.cluster];
      states.push_back({{node.kind, 1}});
      continue;
    }
    nodeAt[i] = nodeAt[mapping.node[i]];
    Node& first = out.nodes[nodeAt[i]];
    first.count += node.count;
    first.critical |= node.critical;
    if (node.time && first.time)
      add(*first.time, *node.time);
    else if (node.time)
      first.time = node.time;
    ++states[nodeAt[i]][node.kind];
  }
  for (size_t i = 0; i < out.nodes.size(); ++i) addStates(out.nodes[i], states[i]);
  for (Cluster& cluster : out.clusters)
    if (cluster.owner) cluster.owner = nodeAt[*cluster.owner];
  std::map<std::pair<size_t, size_t>, size_t> known;
  for (const Edge& edge : diagram.edges) {
    const size_t from = nodeAt[edge.from], to = nodeAt[edge.to];
    if (from == to) continue;
    // Back to a node that stands for a later one, too. Within a repeated module the frame says it.
    if (from > to)
      if (const size_t module = repeatedAround(out, from, to); module != 0) {
        out.clusters[module].inSequence = true;
        continue;
      }
    const auto [place, isNew] = known.try_emplace({from, to}, out.edges.size());
    if (isNew) {
      out.edges.push_back({from, to, edge.label, edge.critical});
      continue;
    }
    Edge& first = out.edges[place->second];
    first.critical |= edge.critical;
    // Labels of several edges are several numbers.
    if (first.label != edge.label) first.label.clear();
  }
  return out;
}

Mapping::Mapping(const Diagram& diagram) : node(diagram.nodes.size()), cluster(diagram.clusters.size()) {
  std::iota(node.begin(), node.end(), size_t{0});
  std::iota(cluster.begin(), cluster.end(), size_t{0});
}

std::string withoutNumbers(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool isDigit = c >= '0' && c <= '9';
    if (!isDigit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

}  // namespace amdahlc::drawing
