#include "report/drawing/boxed_diagram.h"

#include <algorithm>

#include "report/drawing/node_text.h"
#include "report/drawing/svg_canvas.h"

namespace amdahlc::drawing {
namespace {

DrawnTable tableOf(const Diagram& diagram, const std::vector<size_t>& nodes) {
  DrawnTable table;
  for (const size_t node : nodes) {
    table.rows.push_back(columnsOf(diagram, diagram.nodes[node]));
    table.widths.resize(std::max(table.widths.size(), table.rows.back().size()), 0);
    for (size_t i = 0; i < table.rows.back().size(); ++i) {
      const double width = widthOf(table.rows.back()[i], kFontSize);
      table.widths[i] = std::max(table.widths[i], width);
    }
  }
  table.width = 2 * DrawnTable::kPadding + DrawnTable::kBar;
  for (size_t i = 0; i < table.widths.size(); ++i)
    if (table.widths[i] > 0) table.width += table.widths[i] + (i == 0 ? 0 : DrawnTable::kGap);
  return table;
}

std::optional<size_t> frameOf(size_t cluster) { return cluster == 0 ? std::nullopt : std::optional(cluster - 1); }

}  // namespace

BoxedDiagram::BoxedDiagram(const Diagram& diagram, bool leftToRight)
    : stacks(diagram), bodies(bodiesOf(diagram)), edgeAt(diagram.edges.size()) {
  request.leftToRight = leftToRight;
  for (const auto& box : stacks.boxes) tables.push_back(tableOf(diagram, box));
  for (size_t i = 1; i < diagram.clusters.size(); ++i) {
    const Cluster& cluster = diagram.clusters[i];
    request.frames.push_back({frameOf(cluster.parent), widthOf(frameName(diagram, cluster), kFontSize)});
  }
  for (size_t i = 0; i < stacks.boxes.size(); ++i) {
    const double height = DrawnTable::kRowHeight * static_cast<double>(stacks.boxes[i].size());
    request.boxes.push_back({tables[i].width, height, frameOf(diagram.nodes[stacks.boxes[i].front()].cluster)});
  }
  // A body comes after its operator. The edge makes room for the line between them.
  for (const Body& body : bodies) request.edges.push_back({stacks.boxOf[body.owner], stacks.boxOf[body.first]});
  for (size_t i = 0; i < diagram.edges.size(); ++i) {
    const Edge& edge = diagram.edges[i];
    const size_t from = stacks.boxOf[edge.from], to = stacks.boxOf[edge.to];
    if (from == to) continue;
    edgeAt[i] = request.edges.size();
    request.edges.push_back(
        {from, to, edge.label.empty() ? 0 : widthOf(edge.label, kFontSize - 2), edge.from < edge.to});
  }
}

}  // namespace amdahlc::drawing
