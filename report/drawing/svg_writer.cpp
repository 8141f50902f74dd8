// The picture, from top to bottom: the header, the legend, the graph. The graph has its frames first, then edges, then
// boxes, so that nothing hides a box; panels are last, and hidden until their node is clicked (`:target`).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "report/drawing/boxed_diagram.h"
#include "report/drawing/diagram_writers.h"
#include "report/drawing/layout.h"
#include "report/drawing/node_text.h"
#include "report/drawing/palette.h"
#include "report/drawing/svg_canvas.h"
#include "support/characters.h"
#include "support/limits.h"

namespace amdahlc::drawing {
namespace {

/// Room for a panel, also where the graph is small.
constexpr double kLeastWidth = 760, kLeastHeight = 420;
constexpr size_t kPanelColumns = 84, kPanelLines = 30;
constexpr double kPanelWidth = 560;

class SvgWriter : SvgCanvas {
 public:
  SvgWriter(const Diagram& diagram, const PictureOptions& options)
      : diagram_(diagram), boxed_(diagram, options.leftToRight), scale_(diagram) {}

  std::string write() {
    const Layout layout = layOut(boxed_.request);
    writeHeader(diagram_.header);
    writeLegend();
    top_ = y() + kMargin;
    print("<g transform=\"translate({:.1f},{:.1f})\">\n", kMargin, top_);
    for (size_t i = 1; i < diagram_.clusters.size(); ++i) writeFrame(i, layout.frames[i - 1]);
    for (const Body& body : boxed_.bodies)
      writeOwner(layout.boxes[boxed_.stacks.boxOf[body.owner]], layout.frames[body.cluster - 1]);
    for (size_t i = 0; i < diagram_.edges.size(); ++i)
      if (boxed_.edgeAt[i]) writeEdge(diagram_.edges[i], layout.edges[*boxed_.edgeAt[i]]);
    for (size_t i = 0; i < boxed_.tables.size(); ++i) writeBox(i, layout.boxes[i]);
    const double width = std::max({kLeastWidth, layout.width + 2 * kMargin, textWidth() + 2 * kMargin});
    const double height = std::max(kLeastHeight, top_ + layout.height + kMargin);
    for (size_t i = 0; i < boxed_.tables.size(); ++i) writePanels(i, layout.boxes[i], width - kMargin, height - top_);
    print("</g>\n");
    return std::move(*this).document(width, height, diagram_.header.empty() ? "" : diagram_.header.front(), head());
  }

 private:
  static std::string head() {
    return fmt::format(
        "<style>\n"
        ".panel {{ display: none }}\n"
        ".panel:target {{ display: inline }}\n"
        "a:hover > rect, a:focus > rect {{ stroke: #000000; stroke-width: 2 }}\n"
        "</style>\n"
        "<defs>\n"
        "<marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0,0.5 L8,4 L0,7.5 z\" fill=\"{0}\"/></marker>\n"
        "<marker id=\"arrow-path\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"10\" markerHeight=\"10\" "
        "orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0,0.5 L8,4 L0,7.5 z\" fill=\"{1}\"/></marker>\n"
        "<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#ffffff\"/>"
        "<rect width=\"1.5\" height=\"6\" fill=\"#b0b0b0\"/></pattern>\n"
        "</defs>\n",
        kEdgeColor, kPathColor);
  }

  /// A sample and a sentence.
  void legendRow(const std::string& sample, std::string_view sentence) {
    print("<g transform=\"translate({:.1f},{:.1f})\">{}</g>\n", kMargin, y() + 4, sample);
    moveDown(kLineHeight);
    writeText(kMargin + 76, y(), sentence);
    addTextWidth(76 + widthOf(sentence, kFontSize));
  }

  void writeLegend() {
    if (scale_.largest() > 0) {
      std::string sample;
      for (int step = 0; step < 5; ++step)
        sample += fmt::format("<rect x=\"{}\" width=\"14\" height=\"12\" fill=\"{}\" stroke=\"#888888\"/>", 14 * step,
                              scale_.color(scale_.largest() * step / 4));
      legendRow(sample, fmt::format("share of busy time, from 0 to {:.1f} %", 100 * scale_.largest()));
      legendRow("<text y=\"10\">us, %, \u2264</text>",
                "time an iteration; share of busy time; limit of the speed-up of busy time if it took no time");
    }
    std::set<NodeKind> kinds;
    bool critical = false, folded = false, stacked = false;
    for (const Node& node : diagram_.nodes) {
      kinds.insert(node.kind);
      critical |= node.critical;
      folded |= node.count > 1 && node.kind != NodeKind::Module;
    }
    const bool back = std::ranges::any_of(diagram_.edges, [](const Edge& edge) { return edge.from > edge.to; });
    for (const auto& box : boxed_.stacks.boxes) stacked |= box.size() > 1;
    if (critical)
      legendRow(fmt::format("<rect width=\"{}\" height=\"12\" fill=\"{}\"/><path d=\"M8,6 H66\" stroke=\"{}\" "
                            "stroke-width=\"2.5\" marker-end=\"url(#arrow-path)\"/>",
                            DrawnTable::kBar, kPathColor, kPathColor),
                "critical path: the longest chain of kernels that wait for each other");
    for (const NodeKind kind : kinds)
      if (const std::string_view meaning = meaningOf(kind); !meaning.empty())
        legendRow(fmt::format("<rect width=\"68\" height=\"12\" {}/>", boxStyle(kind, "#ffffff")), meaning);
    if (stacked)
      legendRow(
          "<rect width=\"68\" height=\"6\" fill=\"#ffffff\" stroke=\"#888888\"/><rect y=\"6\" width=\"68\" "
          "height=\"6\" fill=\"#ffffff\" stroke=\"#888888\"/>",
          "rows of one box: each needs the one above, and nothing else does");
    if (folded)
      legendRow("<text y=\"10\">name \u00d7 2</text>",
                "nodes that are alike, drawn once: the sum of their times (overlaps count twice), and the least to the "
                "largest");
    if (back)
      legendRow(fmt::format("<path d=\"M0,6 H66\" stroke=\"{}\" stroke-dasharray=\"4 3\" marker-end=\"url(#arrow)\"/>",
                            kEdgeColor),
                "back to a node that stands for several, of which a later one needs it");
    if (!boxed_.bodies.empty())
      legendRow(fmt::format("<path d=\"M0,6 H66\" stroke=\"{}\" stroke-dasharray=\"1 3\"/>", kEdgeColor),
                "the body of an operator");
    for (const std::string& note : diagram_.notes)
      for (const std::string& line : utf8::wrapped(note, kNoteColumns)) legendRow("", line);
  }

  void writeFrame(size_t cluster, const Rectangle& area) {
    if (area.width <= 0) return;
    print(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"#000000\" "
        "fill-opacity=\"0.025\" stroke=\"{}\"{}/>\n",
        area.left, area.top, area.width, area.height, kFrameColor,
        diagram_.clusters[cluster].owner ? " stroke-dasharray=\"6 3\"" : "");
    print("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" fill=\"#555555\">{}</text>\n", area.left + 6, area.top + 13,
          escaped(frameName(diagram_, diagram_.clusters[cluster])));
  }

  void writeOwner(const Rectangle& owner, const Rectangle& frame) {
    print("<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f}\" fill=\"none\" stroke=\"{}\" stroke-dasharray=\"1 3\"/>\n",
          owner.left + owner.width / 2, owner.top + owner.height, frame.left + frame.width / 2, frame.top, kEdgeColor);
  }

  void writeEdge(const Edge& edge, const Layout::Route& route) {
    std::string path = fmt::format("M{:.1f},{:.1f}", route.points.front().x, route.points.front().y);
    const char* const curve = route.points.size() == 2 ? " L" : " C";
    for (size_t i = 1; i < route.points.size(); ++i)
      path += fmt::format("{}{:.1f},{:.1f}", i == 1 ? curve : " ", route.points[i].x, route.points[i].y);
    print("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{} marker-end=\"url(#{})\"/>\n", path,
          edge.critical ? kPathColor : kEdgeColor, edge.critical ? "2.5" : "1",
          edge.from > edge.to ? " stroke-dasharray=\"4 3\"" : "", edge.critical ? "arrow-path" : "arrow");
    if (route.label && !edge.label.empty())
      writeText(route.label->x, route.label->y + 3, edge.label,
                "font-size=\"9\" text-anchor=\"middle\" fill=\"#333333\"");
  }

  void writeBox(size_t index, const Rectangle& area) {
    const DrawnTable& table = boxed_.tables[index];
    for (size_t row = 0; row < table.rows.size(); ++row) {
      const size_t number = boxed_.stacks.boxes[index][row];
      const Node& node = diagram_.nodes[number];
      const double y = area.top + DrawnTable::kRowHeight * static_cast<double>(row);
      const std::string fill = node.time ? scale_.color(node.time->share) : "#ffffff";
      print("<a href=\"#panel-{}\">\n<title>{}</title>\n", number, escaped(titleOf(diagram_, node)));
      print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" {}/>\n", area.left, y, area.width,
            DrawnTable::kRowHeight, boxStyle(node.kind, fill));
      if (node.critical)
        print("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\" stroke=\"none\"/>\n",
              area.left, y, DrawnTable::kBar, DrawnTable::kRowHeight, kPathColor);
      writeColumns(table, row, node, area.left + DrawnTable::kBar + DrawnTable::kPadding,
                   y + DrawnTable::kRowHeight - 6, node.time ? textColorOn(fill) : textColor(node.kind));
      print("</a>\n");
    }
  }

  void writeColumns(const DrawnTable& table, size_t row, const Node& node, double x, double y, std::string_view color) {
    for (size_t i = 0; i < table.rows[row].size(); ++i) {
      const double width = table.widths[i];
      if (width == 0) continue;
      if (!table.rows[row][i].empty()) {
        // Numbers end at the right of their column.
        const bool isName = i == 0;
        writeText(isName ? x : x + width, y, table.rows[row][i],
                  fmt::format("fill=\"{}\"{}{}", color, isName ? "" : " text-anchor=\"end\"",
                              isName && node.kind == NodeKind::Module ? " font-weight=\"bold\"" : ""));
      }
      x += width + DrawnTable::kGap;
    }
  }

  void writePanels(size_t index, const Rectangle& box, double right, double bottom) {
    for (size_t row = 0; row < boxed_.stacks.boxes[index].size(); ++row) {
      const size_t number = boxed_.stacks.boxes[index][row];
      std::vector<std::string> lines;
      for (const auto& [key, value] : factsOf(diagram_, diagram_.nodes[number]))
        for (std::string& line :
             utf8::wrapped(key + ": " + shortened(value, kPanelColumns * kPanelLines), kPanelColumns))
          lines.push_back(std::move(line));
      if (lines.size() > kPanelLines) {
        const size_t more = lines.size() - kPanelLines + 1;
        lines.resize(kPanelLines - 1);
        lines.push_back(fmt::format("and {} more lines", more));
      }
      const double height = kLineHeight * static_cast<double>(lines.size() + 1) + 12;
      const double x = std::max(0.0, std::min(box.left + box.width + 8, right - kMargin - kPanelWidth));
      const double y = std::max(
          -top_ + 4, std::min(box.top + DrawnTable::kRowHeight * static_cast<double>(row), bottom - height - 4));
      print(
          "<g id=\"panel-{}\" class=\"panel\"><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" rx=\"4\" "
          "fill=\"#fffff4\" stroke=\"#444444\"/>\n",
          number, x, y, kPanelWidth, height);
      writeText(x + 8, y + kLineHeight + 2, shortened(diagram_.nodes[number].name, 70), "font-weight=\"bold\"");
      for (size_t i = 0; i < lines.size(); ++i)
        writeText(x + 8, y + kLineHeight * static_cast<double>(i + 2) + 4, lines[i]);
      print(
          "<a href=\"#\"><title>close</title><rect x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"18\" height=\"18\" "
          "fill=\"#fffff4\"/><text x=\"{2:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">\u00d7</text></a></g>\n",
          x + kPanelWidth - 22, y + 4, x + kPanelWidth - 13, y + 17);
    }
  }

  const Diagram& diagram_;
  const BoxedDiagram boxed_;
  const ColorScale scale_;
  double top_ = 0;
};

}  // namespace

std::optional<Absence> absenceOfPicture(const Diagram& diagram) {
  using enum Absence::Reason;
  const auto beyond = [](Absence::Reason reason, size_t count, size_t limit) {
    return count > limit ? std::optional(Absence{reason, {std::to_string(count), std::to_string(limit)}})
                         : std::nullopt;
  };
  // A graph of fewer nodes can be counted.
  if (auto absence = beyond(ManyNodes, diagram.nodes.size(), limits::kDrawnNodes)) return absence;
  const LayoutCost cost = layoutCost(BoxedDiagram(diagram, false).request);
  if (auto absence = beyond(ManyCrossings, cost.points, limits::kLayoutPoints)) return absence;
  if (auto absence = beyond(ManyPairs, cost.pairs, limits::kLayoutPairs)) return absence;
  return beyond(ManyFrameLayers, cost.frameLayers, limits::kFrameLayers);
}

std::string writeSvg(const Diagram& diagram, const PictureOptions& options) {
  return SvgWriter(diagram, options).write();
}

}  // namespace amdahlc::drawing
