#include <fmt/format.h>

#include <iterator>
#include <vector>

#include "report/drawing/diagram_writers.h"
#include "report/drawing/node_text.h"
#include "report/drawing/palette.h"
#include "report/drawing/stacks.h"
#include "support/printable.h"

namespace amdahlc::drawing {
namespace {

/// A quoted DOT string of one or more lines. Quoting also prevents that a label that begins with `<` is read as HTML.
std::string quoted(std::string_view text) {
  // Graphviz reads entities.
  return '"' + replaced(text, {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}, {'&', "&amp;"}}) + '"';
}

class DotWriter {
 public:
  explicit DotWriter(const Diagram& diagram) : diagram_(diagram), scale_(diagram), inside_(diagram.clusters.size()) {
    for (size_t i = 1; i < diagram.clusters.size(); ++i) inside_[diagram.clusters[i].parent].push_back(i);
    nodesOf_.resize(diagram.clusters.size());
    for (size_t i = 0; i < diagram.nodes.size(); ++i) nodesOf_[diagram.nodes[i].cluster].push_back(i);
  }

  std::string write(const PictureOptions& options) {
    print("digraph {} {{\n", quoted(diagram_.header.empty() ? "" : diagram_.header.front()));
    if (options.leftToRight) out_ += "  rankdir=LR;\n";
    out_ += "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=\"Helvetica\", fontsize=10];\n";
    out_ += "  compound=true;\n";
    out_ += "  edge [fontname=\"Helvetica\", fontsize=9];\n";
    std::string title;
    for (const std::string& line : diagram_.header) title += (title.empty() ? "" : "\n") + line;
    print("  graph [label={}, labelloc=t, fontname=\"Helvetica\", fontsize=11];\n", quoted(title));
    writeCluster(0, "  ");
    for (const Edge& edge : diagram_.edges) writeEdge(edge);
    for (const Body& body : bodiesOf(diagram_))
      print("  n{} -> n{} [style=dotted, lhead=cluster{}];\n", body.owner, body.first, body.cluster);
    return std::move(out_) + "}\n";
  }

 private:
  template <typename... T>
  void print(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<T>(values)...);
  }

  /// Modules nest as deep as their names have parts, which the import limits.
  void writeCluster(size_t cluster, const std::string& indent) {  // NOLINT(misc-no-recursion)
    for (const size_t node : nodesOf_[cluster]) writeNode(node, indent);
    for (const size_t child : inside_[cluster]) {
      print("{}subgraph cluster{} {{\n{}  label={}; color=gray60; fontname=\"Helvetica\"; fontsize=9;\n", indent, child,
            indent, quoted(frameName(diagram_, diagram_.clusters[child])));
      writeCluster(child, indent + "  ");
      print("{}}}\n", indent);
    }
  }

  void writeNode(size_t index, const std::string& indent) {
    const Node& node = diagram_.nodes[index];
    std::string label;
    for (const std::string& column : columnsOf(diagram_, node))
      if (!column.empty()) label += (label.empty() ? "" : "\n") + column;
    print("{}n{} [label={}, tooltip={}", indent, index, quoted(label), quoted(titleOf(diagram_, node)));
    if (const std::string_view style = dotStyle(node.kind); style != "rounded,filled") print(", style=\"{}\"", style);
    if (node.kind == NodeKind::Terminal) out_ += ", shape=plaintext";
    if (node.kind == NodeKind::Tensor) out_ += ", shape=ellipse";
    if (node.time && node.time->share > 0) {
      const std::string color = scale_.color(node.time->share);
      print(", fillcolor=\"{}\", fontcolor=\"{}\"", color, textColorOn(color));
    }
    if (node.critical) print(", color=\"{}\", penwidth=2", kPathColor);
    out_ += "];\n";
  }

  void writeEdge(const Edge& edge) {
    std::string attributes;
    const auto add = [&](const std::string& attribute) { attributes += (attributes.empty() ? "" : ", ") + attribute; };
    if (!edge.label.empty()) add("label=" + quoted(edge.label));
    if (edge.from > edge.to) add("style=dashed, constraint=false");
    if (edge.critical) add(fmt::format("color=\"{}\", penwidth=2", kPathColor));
    print("  n{} -> n{}{};\n", edge.from, edge.to, attributes.empty() ? "" : " [" + attributes + "]");
  }

  const Diagram& diagram_;
  const ColorScale scale_;
  std::vector<std::vector<size_t>> inside_, nodesOf_;
  std::string out_;
};

}  // namespace

std::string writeDot(const Diagram& diagram, const PictureOptions& options) {
  return DotWriter(diagram).write(options);
}

}  // namespace amdahlc::drawing
