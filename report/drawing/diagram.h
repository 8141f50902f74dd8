/// A picture of a graph before it has coordinates: nodes in nested modules, edges, and what is known of each node.
/// Whoever knows the model fills it; folding, layout and writers know nothing but this.
///
/// All texts are printable: they have no control characters, but may have any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace amdahlc::drawing {

/// How a node looks.
enum class NodeKind : uint8_t {
  /// An operator without a measurement, or a kernel without a trace.
  Plain,
  /// A kernel that ran.
  Measured,
  NoDeviceWork,
  /// Expected, and not found in the run.
  Missed,
  NotExecuted,
  Ambiguous,
  /// A value that flows along edges.
  Tensor,
  /// An input or output of the graph.
  Terminal,
  /// A module whose nodes are not drawn one by one.
  Module,
};

/// The time of a node, or of the nodes that it stands for.
struct NodeTime {
  /// Per iteration, rounded half to even; of several nodes their sum.
  int64_t ns = 0;
  /// Of busy time; of several nodes their sum.
  double share = 0;
  /// Limits of the speed-up of the run, the least and the largest of several nodes; nullopt: infinite.
  std::optional<double> leastLimit, largestLimit;
  /// The least and the largest `ns` of several nodes.
  int64_t leastNs = 0, largestNs = 0;
  /// Nanoseconds per iteration in each scenario of the diagram; of several nodes their sum.
  std::vector<int64_t> predictedNs;
};

struct Node {
  std::string name;
  /// Its number in reports; none for a node that reports do not number.
  std::optional<size_t> number = std::nullopt;
  /// Beside the name of a node without a time; may be empty.
  std::string detail = {};
  /// Equal for nodes that a repeated module may have in the same place.
  std::string signature = {};
  NodeKind kind = NodeKind::Plain;
  /// Index into `Diagram::clusters`.
  size_t cluster = 0;
  std::optional<NodeTime> time = std::nullopt;
  bool critical = false;
  /// Number of nodes that it stands for.
  int64_t count = 1;
  /// (key, value), shown on demand.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

/// A dependence, from a producer to a user. Without folding `from` < `to`; after it, an edge may lead back to a node
/// that stands for a later one, too.
struct Edge {
  size_t from = 0, to = 0;
  /// Empty for none.
  std::string label;
  bool critical = false;
};

/// A module, or the body of an operator.
struct Cluster {
  std::string name;
  /// Index of the cluster around it; the first cluster is the whole picture.
  size_t parent = 0;
  /// The node whose body this is.
  std::optional<size_t> owner = std::nullopt;
  /// Number of equal modules that it stands for.
  int64_t count = 1;
  /// Each of these modules needs results of another one.
  bool inSequence = false;
};

struct Diagram {
  /// Lines above the picture, the first one its title.
  std::vector<std::string> header;
  /// In a topological order; after folding in that of the first of the nodes for which a node stands.
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  /// A cluster after the one around it, otherwise in the order of their first nodes.
  std::vector<Cluster> clusters{{}};
  /// Names of the scenarios in `NodeTime::predictedNs`.
  std::vector<std::string> scenarios;
  /// Sentences for the legend: what labels of edges mean, what is left out.
  std::vector<std::string> notes;
};

/// Options of pictures, as users give them.
struct PictureOptions {
  /// `auto`, `none`, or the number of modules inside each other that are drawn.
  std::string fold = "auto";
  bool leftToRight = false;
  bool docStrings = false;
};

}  // namespace amdahlc::drawing
