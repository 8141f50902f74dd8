#include "report/drawing/fold.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "report/drawing/mapping.h"
#include "report/drawing/stacks.h"
#include "support/disjoint_sets.h"
#include "support/sort_unique.h"

namespace amdahlc::drawing {
namespace {

/// The number of clusters around a cluster, itself included; 0 for the whole picture.
std::vector<size_t> depths(const Diagram& diagram) {
  std::vector<size_t> depth(diagram.clusters.size(), 0);
  for (size_t i = 1; i < depth.size(); ++i) depth[i] = depth[diagram.clusters[i].parent] + 1;
  return depth;
}

/// Clusters with their children, nodes and clusters, in the order of their first nodes.
class ClusterTree {
 public:
  struct Child {
    bool isNode;
    size_t index;
  };

  explicit ClusterTree(const Diagram& diagram)
      : diagram_(diagram),
        children_(diagram.clusters.size()),
        depth_(depths(diagram)),
        rankOfCluster_(diagram.clusters.size(), 0) {
    std::vector<bool> isPlaced(diagram.clusters.size(), false);
    isPlaced[0] = true;
    std::vector<size_t> path;
    for (size_t node = 0; node < diagram.nodes.size(); ++node) {
      path.clear();
      for (size_t at = diagram.nodes[node].cluster; !isPlaced[at]; at = diagram.clusters[at].parent) path.push_back(at);
      for (; !path.empty(); path.pop_back()) {
        isPlaced[path.back()] = true;
        rankOfCluster_[path.back()] = place(diagram.clusters[path.back()].parent, {false, path.back()});
      }
      rankOfNode_.push_back(place(diagram.nodes[node].cluster, {true, node}));
    }
  }

  const std::vector<Child>& children(size_t cluster) const { return children_[cluster]; }

  /// Clusters with nodes, each before those inside it.
  std::vector<size_t> outerFirst() const {
    std::vector<size_t> order{0};
    for (size_t i = 0; i < order.size(); ++i)
      for (const Child& child : children_[order[i]])
        if (!child.isNode) order.push_back(child.index);
    return order;
  }

  /// An edge between two children of a cluster, by their ranks.
  struct Wire {
    size_t cluster, from, to;
  };
  /// The innermost cluster that has both ends of an edge, and its children with them.
  Wire wireOf(const Edge& edge) const {
    size_t from = rankOfNode_[edge.from], to = rankOfNode_[edge.to];
    size_t a = diagram_.nodes[edge.from].cluster, b = diagram_.nodes[edge.to].cluster;
    const auto leave = [&](size_t& cluster, size_t& rank) {
      rank = rankOfCluster_[cluster];
      cluster = diagram_.clusters[cluster].parent;
    };
    while (a != b) depth_[a] >= depth_[b] ? leave(a, from) : leave(b, to);
    return {a, from, to};
  }

 private:
  size_t place(size_t cluster, Child child) {
    children_[cluster].push_back(child);
    return children_[cluster].size() - 1;
  }

  const Diagram& diagram_;
  std::vector<std::vector<Child>> children_;
  std::vector<size_t> depth_, rankOfCluster_, rankOfNode_;
};

/// Finds repeated modules. What a module contains is numbered, equal contents by the same number.
class Repetitions {
 public:
  explicit Repetitions(const Diagram& diagram)
      : diagram_(diagram),
        tree_(diagram),
        wires_(diagram.clusters.size()),
        contents_(diagram.clusters.size(), 0),
        sizes_(diagram.clusters.size(), 0),
        first_(diagram.clusters.size(), diagram.nodes.size()),
        last_(diagram.clusters.size(), 0),
        mapping_(diagram) {
    for (size_t i = 0; i < diagram.nodes.size(); ++i) {
      const size_t cluster = diagram.nodes[i].cluster;
      ++sizes_[cluster];
      first_[cluster] = std::min(first_[cluster], i);
      last_[cluster] = std::max(last_[cluster], i);
    }
    for (size_t i = sizes_.size(); i-- > 1;) {
      const size_t parent = diagram.clusters[i].parent;
      sizes_[parent] += sizes_[i];
      first_[parent] = std::min(first_[parent], first_[i]);
      last_[parent] = std::max(last_[parent], last_[i]);
    }
    for (const Edge& edge : diagram.edges) {
      const ClusterTree::Wire wire = tree_.wireOf(edge);
      wires_[wire.cluster].emplace_back(wire.from, wire.to);
    }
    for (auto& wires : wires_) sortUnique(wires);
    mapping_.ofRepetitions = true;
  }

  Mapping find() {
    const std::vector<size_t> order = tree_.outerFirst();
    for (auto cluster = order.rbegin(); cluster != order.rend(); ++cluster) number(*cluster);
    for (const size_t cluster : order)
      if (mapping_.cluster[cluster] == cluster) mergeChildren(cluster);
    return std::move(mapping_);
  }

 private:
  void number(size_t cluster) {
    Content content{{}, wires_[cluster]};
    for (const auto& child : tree_.children(cluster)) {
      if (child.isNode)
        content.first.emplace_back(diagram_.nodes[child.index].signature, 0);
      else
        content.first.emplace_back(withoutNumbers(diagram_.clusters[child.index].name), contents_[child.index] + 1);
    }
    contents_[cluster] = numbers_.try_emplace(std::move(content), numbers_.size()).first->second;
  }

  /// Merges each run of alike modules. Only modules that follow each other repeat: what is between two of them would
  /// otherwise seem to be after both.
  void mergeChildren(size_t cluster) {
    std::optional<size_t> first;
    for (const auto& child : tree_.children(cluster)) {
      const bool isAlike = first && !child.isNode && areAlike(*first, child.index);
      if (isAlike) merge(*first, child.index);
      if (!isAlike) first = child.isNode ? std::nullopt : std::optional(child.index);
    }
  }

  bool areAlike(size_t a, size_t b) const {
    // One is over before the other begins, so that each node stands before those that are mapped to it.
    if (last_[a] > first_[b]) return false;
    // A module of one node is no repetition: `conv1` and `conv2` of a block. Nor are modules whose names differ in more
    // than a number: `query` and `key`.
    const std::string &nameA = diagram_.clusters[a].name, &nameB = diagram_.clusters[b].name;
    return contents_[a] == contents_[b] && sizes_[a] > 1 && nameA != nameB &&
           withoutNumbers(nameA) == withoutNumbers(nameB);
  }

  /// Maps the contents of one module to those of another, which are alike.
  void merge(size_t into, size_t from) {
    mapping_.cluster[from] = into;
    const auto &to = tree_.children(into), &of = tree_.children(from);
    for (size_t i = 0; i < to.size(); ++i) {
      if (to[i].isNode)
        mapping_.node[of[i].index] = to[i].index;
      else
        merge(to[i].index, of[i].index);
    }
  }

  /// The children, by signature or by name and number, and the edges between them.
  using Content = std::pair<std::vector<std::pair<std::string, size_t>>, std::vector<std::pair<size_t, size_t>>>;

  const Diagram& diagram_;
  const ClusterTree tree_;
  /// By cluster.
  std::vector<std::vector<std::pair<size_t, size_t>>> wires_;
  std::map<Content, size_t> numbers_;
  std::vector<size_t> contents_;
  /// Nodes in each cluster, and in those inside it.
  std::vector<size_t> sizes_;
  /// The first and the last of them.
  std::vector<size_t> first_, last_;
  Mapping mapping_;
};

std::string countedName(const std::string& name, int64_t count) {
  return count == 1 ? name : fmt::format("{} \u00d7 {}", withoutNumbers(name), count);
}

/// Modules at this depth as one node each.
Diagram cutAt(Diagram diagram, size_t limit) {
  const std::vector<size_t> depth = depths(diagram);
  Mapping mapping(diagram);
  // Of each cluster: the module that becomes a node, itself or one around it; 0 for none.
  std::vector<size_t> cut(diagram.clusters.size(), 0);
  for (size_t i = 1; i < cut.size(); ++i) {
    cut[i] = depth[i] == limit ? i : cut[diagram.clusters[i].parent];
    if (cut[i] != 0) mapping.cluster[i] = diagram.clusters[cut[i]].parent;
  }
  // By module: its first node, which stands for it.
  std::vector<std::optional<size_t>> first(diagram.clusters.size());
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    Node& node = diagram.nodes[i];
    const size_t module = cut[node.cluster];
    if (module == 0 || node.kind == NodeKind::Terminal) continue;
    if (first[module]) {
      mapping.node[i] = *first[module];
      continue;
    }
    first[module] = i;
    node.name = countedName(diagram.clusters[module].name, diagram.clusters[module].count);
    node.facts.clear();
    node.detail.clear();
    // The body of an operator stays joined to it.
    if (const auto owner = diagram.clusters[module].owner) diagram.edges.push_back({*owner, i, {}});
  }
  std::vector<bool> isModule(diagram.nodes.size(), false);
  for (const auto& node : first)
    if (node) isModule[*node] = true;
  const auto places = mapping.node;
  Diagram out = merged(diagram, std::move(mapping));
  size_t at = 0;
  for (size_t i = 0; i < places.size(); ++i)
    if (places[i] == i) {
      if (isModule[i]) out.nodes[at].kind = NodeKind::Module;
      ++at;
    }
  return out;
}

/// A module that is called several times has a frame for each call: one frame around all of them would hold them
/// together. Calls are told apart where the module has no modules inside, no edge between the nodes of two calls, and
/// the same nodes in each.
Diagram withFrameOfEachCall(Diagram diagram) {
  std::vector<bool> hasModules(diagram.clusters.size(), false);
  for (size_t i = 1; i < diagram.clusters.size(); ++i) hasModules[diagram.clusters[i].parent] = true;
  // The nodes of each call, by the first of them.
  DisjointSets sets(diagram.nodes.size());
  for (const Edge& edge : diagram.edges)
    if (diagram.nodes[edge.from].cluster == diagram.nodes[edge.to].cluster) sets.unite(edge.from, edge.to);
  // By module and by first node of a call: the names of its nodes. Parts with other names are no calls of the same.
  std::map<size_t, std::map<size_t, std::vector<std::string>>> calls;
  for (size_t i = 0; i < diagram.nodes.size(); ++i)
    calls[diagram.nodes[i].cluster][sets.find(i)].push_back(diagram.nodes[i].name);
  const auto areCalls = [&](size_t module) {
    const auto& parts = calls[module];
    return std::ranges::all_of(parts, [&](const auto& part) { return part.second == parts.begin()->second; });
  };
  std::vector<bool> isSplit(diagram.clusters.size(), false);
  for (size_t i = 1; i < isSplit.size(); ++i)
    isSplit[i] = !hasModules[i] && !diagram.clusters[i].owner && calls.contains(i) && areCalls(i);
  // By module: the first node of its first call. By first node of a further call: its frame.
  std::map<size_t, size_t> firstCall, frames;
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    const size_t module = diagram.nodes[i].cluster;
    if (!isSplit[module]) continue;
    const size_t call = sets.find(i);
    if (firstCall.try_emplace(module, call).first->second == call) continue;
    const auto [frame, isNew] = frames.try_emplace(call, diagram.clusters.size());
    if (isNew) {
      Cluster copy = diagram.clusters[module];
      diagram.clusters.push_back(std::move(copy));
    }
    diagram.nodes[i].cluster = frame->second;
  }
  return diagram;
}

/// Chains of one module that have the same names, need the same nodes and are needed by the same: one stands for all of
/// them. What is on the critical path, and what a label is about, stays as it is.
Diagram withAlikeChainsAsOne(const Diagram& diagram) {
  const Stacks stacks(diagram);
  // By chain. Only its first node needs nodes of other chains, and only its last one is needed by some.
  std::vector<std::vector<size_t>> needed(stacks.boxes.size()), users(stacks.boxes.size());
  std::vector<bool> isKept(stacks.boxes.size(), false);
  for (const Edge& edge : diagram.edges) {
    const size_t from = stacks.boxOf[edge.from], to = stacks.boxOf[edge.to];
    if (from == to) continue;
    needed[to].push_back(edge.from);
    users[from].push_back(edge.to);
    if (!edge.label.empty()) isKept[from] = isKept[to] = true;
  }
  for (const Cluster& cluster : diagram.clusters)
    if (cluster.owner) isKept[stacks.boxOf[*cluster.owner]] = true;
  Mapping mapping(diagram);
  using Rows = std::vector<std::pair<std::string, NodeKind>>;
  std::map<std::tuple<size_t, Rows, std::vector<size_t>, std::vector<size_t>>, size_t> firsts;
  for (size_t box = 0; box < stacks.boxes.size(); ++box) {
    Rows rows;
    for (const size_t i : stacks.boxes[box]) {
      const Node& node = diagram.nodes[i];
      isKept[box] = isKept[box] || node.critical || node.kind == NodeKind::Terminal || node.kind == NodeKind::Module;
      rows.emplace_back(node.name, node.kind);
    }
    if (isKept[box]) continue;
    sortUnique(needed[box]);
    sortUnique(users[box]);
    const size_t cluster = diagram.nodes[stacks.boxes[box].front()].cluster;
    const size_t first = firsts.try_emplace({cluster, std::move(rows), needed[box], users[box]}, box).first->second;
    for (size_t row = 0; row < stacks.boxes[box].size(); ++row)
      mapping.node[stacks.boxes[box][row]] = stacks.boxes[first][row];
  }
  return merged(diagram, std::move(mapping));
}

Diagram foldedByItself(const Diagram& diagram) {
  Diagram folded = merged(diagram, Repetitions(diagram).find());
  const std::vector<size_t> depth = depths(folded);
  for (size_t limit = *std::ranges::max_element(depth); limit > 0; --limit) {
    if (folded.nodes.size() <= kReadableNodes) break;
    folded = cutAt(folded, limit);
  }
  return folded;
}

/// Frames that say something: one around a single module is joined with it, and one around a single node becomes a part
/// of its name.
Diagram withPlainFrames(Diagram diagram) {
  const size_t count = diagram.clusters.size();
  std::vector<size_t> children(count, 0), nodes(count, 0), onlyNode(count, 0), onlyChild(count, 0);
  for (size_t i = 1; i < count; ++i) {
    ++children[diagram.clusters[i].parent];
    onlyChild[diagram.clusters[i].parent] = i;
  }
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    ++nodes[diagram.nodes[i].cluster];
    onlyNode[diagram.nodes[i].cluster] = i;
  }
  Mapping mapping(diagram);
  std::vector<bool> isNumber(count, false);
  for (size_t i = 1; i < count; ++i) isNumber[i] = withoutNumbers(diagram.clusters[i].name) == "#";
  for (size_t i = 1; i < count; ++i) {
    Cluster& cluster = diagram.clusters[i];
    const Cluster& outer = diagram.clusters[cluster.parent];
    if (cluster.count != outer.count) cluster.name = withoutNumbers(cluster.name);
    const bool isJoined = cluster.parent != 0 && children[cluster.parent] == 1 && nodes[cluster.parent] == 0 &&
                          !outer.owner && !cluster.owner;
    if (isJoined || (isNumber[i] && cluster.parent != 0)) cluster.name = outer.name + "." + cluster.name;
    if (isJoined) mapping.cluster[i] = cluster.parent;
  }
  // From the inside: the name and count of a joined frame are those of the inner one.
  for (size_t i = count; i-- > 1;) {
    if (mapping.cluster[i] == i) continue;
    Cluster& outer = diagram.clusters[diagram.clusters[i].parent];
    outer.name = diagram.clusters[i].name;
    outer.count = diagram.clusters[i].count;
    outer.inSequence = diagram.clusters[i].inSequence;
  }
  for (size_t i = 1; i < count; ++i) {
    if (children[i] != 0 || nodes[i] != 1 || diagram.clusters[i].owner) continue;
    Node& node = diagram.nodes[onlyNode[i]];
    if (node.kind == NodeKind::Terminal || node.kind == NodeKind::Tensor) continue;
    node.name = diagram.clusters[i].name + ": " + node.name;
    // Frames that were joined with this one go as well.
    bool isJoined = true;
    for (size_t at = i; isJoined; at = diagram.clusters[at].parent) {
      isJoined = mapping.cluster[at] != at;
      mapping.cluster[at] = diagram.clusters[at].parent;
    }
  }
  return merged(diagram, std::move(mapping));
}

}  // namespace

std::vector<std::string> foldChoices() {
  std::vector<std::string> choices{"auto", "none"};
  for (char level = '0'; level <= '9'; ++level) choices.emplace_back(1, level);
  return choices;
}

Diagram fold(const Diagram& diagram, std::string_view how) {
  const bool isAuto = how == "auto";
  if (how == "none" || (isAuto && diagram.nodes.size() < kFoldFrom))
    return withPlainFrames(withFrameOfEachCall(diagram));
  Diagram folded = isAuto ? foldedByItself(withFrameOfEachCall(diagram))
                          : cutAt(diagram, static_cast<size_t>(how.front() - '0') + 1);
  return withPlainFrames(folded.nodes.size() < kFoldFrom ? std::move(folded) : withAlikeChainsAsOne(folded));
}

}  // namespace amdahlc::drawing
