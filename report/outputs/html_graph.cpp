// The graph of a run's kernels as the page draws it: placed by the layout of pictures, once for each way to fold it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "report/drawing/boxed_diagram.h"
#include "report/drawing/diagram_writers.h"
#include "report/drawing/fold.h"
#include "report/drawing/node_text.h"
#include "report/outputs/html_parts.h"

namespace amdahlc {
namespace {

using drawing::Diagram;
using drawing::NodeKind;
using Json = nlohmann::ordered_json;

/// Programs of runs have hundreds of inputs and outputs, of which little is known and beside which no kernel is found.
constexpr size_t kMostTerminals = 24;
/// Calls that only make a view of a tensor are in the way of others, if there are many.
constexpr size_t kMostEnds = 24;

/// How graphs are folded, the first one as the page shows it at first.
constexpr std::string_view kFolds[] = {"auto", "none", "0", "1", "2", "3"};
/// A page must not take seconds for its graphs: of the first way to fold one, and of each further way.
constexpr size_t kMostNodes = 1500, kMostNodesAgain = 400;

/// By `drawing::NodeKind`.
constexpr std::string_view kKinds[] = {"plain",     "measured", "no-device-work", "missed", "not-executed",
                                       "ambiguous", "tensor",   "terminal",       "module"};
static_assert(std::size(kKinds) == static_cast<size_t>(drawing::NodeKind::Module) + 1);

/// The diagram without some of its nodes, and without their edges.
void leaveOut(Diagram& diagram, const std::vector<bool>& isLeftOut) {
  std::vector<std::optional<size_t>> placeOf;
  std::vector<drawing::Node> kept;
  for (size_t i = 0; i < diagram.nodes.size(); ++i) {
    placeOf.push_back(isLeftOut[i] ? std::nullopt : std::optional(kept.size()));
    if (placeOf.back()) kept.push_back(std::move(diagram.nodes[i]));
  }
  diagram.nodes = std::move(kept);
  std::erase_if(diagram.edges, [&](const drawing::Edge& edge) { return !placeOf[edge.from] || !placeOf[edge.to]; });
  for (drawing::Edge& edge : diagram.edges) {
    edge.from = *placeOf[edge.from];
    edge.to = *placeOf[edge.to];
  }
  for (drawing::Cluster& cluster : diagram.clusters)
    if (cluster.owner) cluster.owner = *placeOf[*cluster.owner];
}

/// Of each node whether it has no device work, and needs none or is needed by none.
std::vector<bool> endsWithoutWork(const Diagram& diagram) {
  const size_t count = diagram.nodes.size();
  std::vector<bool> isWork(count), needsWork(count, false), isNeededByWork(count, false), isEnd(count);
  for (size_t i = 0; i < count; ++i) isWork[i] = diagram.nodes[i].kind != NodeKind::NoDeviceWork;
  for (const drawing::Cluster& cluster : diagram.clusters)
    if (cluster.owner) isWork[*cluster.owner] = true;
  // Nodes are in a topological order.
  std::vector<drawing::Edge> edges = diagram.edges;
  std::ranges::sort(edges, {}, &drawing::Edge::to);
  for (const drawing::Edge& edge : edges)
    if (isWork[edge.from] || needsWork[edge.from]) needsWork[edge.to] = true;
  std::ranges::sort(edges, std::ranges::greater{}, &drawing::Edge::from);
  for (const drawing::Edge& edge : edges)
    if (isWork[edge.to] || isNeededByWork[edge.to]) isNeededByWork[edge.from] = true;
  for (size_t i = 0; i < count; ++i) isEnd[i] = !isWork[i] && !(needsWork[i] && isNeededByWork[i]);
  return isEnd;
}

/// Leaves out what a program of runs has hundreds of, and what tells nothing of this run.
void leaveOutDetails(Diagram& diagram, bool isRecorded) {
  const auto leaveOutIf = [&](size_t most, std::string_view what, const auto& isLeftOut) {
    std::vector<bool> all(diagram.nodes.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = isLeftOut(i);
    const auto count = static_cast<size_t>(std::ranges::count(all, true));
    if (count <= most) return;
    leaveOut(diagram, all);
    diagram.notes.push_back(fmt::format("{} {} are not drawn", count, what));
  };
  leaveOutIf(kMostTerminals, "inputs and outputs of the graph",
             [&](size_t i) { return diagram.nodes[i].kind == NodeKind::Terminal; });
  if (!isRecorded) return;
  leaveOutIf(0, "calls that this run does not have",
             [&](size_t i) { return diagram.nodes[i].kind == NodeKind::NotExecuted; });
  const std::vector<bool> ends = endsWithoutWork(diagram);
  leaveOutIf(kMostEnds, "calls without device work that no device work needs, or that need none",
             [&](size_t i) { return ends[i]; });
}

int64_t rounded(double points) { return std::llround(points); }

Json describe(const drawing::Rectangle& area) {
  return {rounded(area.left), rounded(area.top), rounded(area.width), rounded(area.height)};
}

Json describeNode(const Diagram& diagram, const drawing::Node& node) {
  Json facts = Json::array();
  for (const auto& [key, value] : factsOf(diagram, node)) facts.push_back({key, value});
  Json json{{"name", node.name},
            {"kind", kKinds[static_cast<size_t>(node.kind)]},
            {"columns", columnsOf(diagram, node)},
            {"count", node.count},
            {"critical", node.critical},
            {"share", node.time ? Json(node.time->share) : Json(nullptr)},
            {"time_ns", node.time ? Json(node.time->ns) : Json(nullptr)},
            // Of a node of the report the page knows all facts.
            {"kernel", node.number ? Json(*node.number) : Json(nullptr)}};
  if (!node.number || node.count > 1) json["facts"] = std::move(facts);
  return json;
}

Json describe(const Diagram& diagram) {
  const drawing::BoxedDiagram boxed(diagram, false);
  const drawing::Layout layout = layOut(boxed.request);
  Json nodes = Json::array(), boxes = Json::array(), frames = Json::array(), edges = Json::array();
  for (const drawing::Node& node : diagram.nodes) nodes.push_back(describeNode(diagram, node));
  for (size_t i = 0; i < boxed.stacks.boxes.size(); ++i) {
    Json widths = Json::array();
    for (const double width : boxed.tables[i].widths) widths.push_back(std::ceil(width));
    boxes.push_back(
        {{"area", describe(layout.boxes[i])}, {"nodes", boxed.stacks.boxes[i]}, {"widths", std::move(widths)}});
  }
  for (size_t i = 1; i < diagram.clusters.size(); ++i) {
    const drawing::Rectangle& area = layout.frames[i - 1];
    if (area.width <= 0) continue;
    const drawing::Cluster& cluster = diagram.clusters[i];
    frames.push_back({{"name", frameName(diagram, cluster)},
                      {"area", describe(area)},
                      {"owner", cluster.owner ? Json(*cluster.owner) : Json(nullptr)}});
  }
  for (size_t i = 0; i < diagram.edges.size(); ++i) {
    const drawing::Edge& edge = diagram.edges[i];
    Json json{{"from", edge.from}, {"to", edge.to}};
    if (edge.critical) json["critical"] = true;
    if (boxed.edgeAt[i]) {
      const drawing::Layout::Route& route = layout.edges[*boxed.edgeAt[i]];
      Json points = Json::array();
      for (const drawing::Point& point : route.points) {
        points.push_back(rounded(point.x));
        points.push_back(rounded(point.y));
      }
      json["points"] = std::move(points);
      if (route.label && !edge.label.empty()) {
        json["label"] = edge.label;
        json["label_at"] = {rounded(route.label->x), rounded(route.label->y)};
      }
    }
    edges.push_back(std::move(json));
  }
  return {{"width", rounded(layout.width)}, {"height", rounded(layout.height)}, {"nodes", std::move(nodes)},
          {"boxes", std::move(boxes)},      {"frames", std::move(frames)},      {"edges", std::move(edges)},
          {"notes", diagram.notes}};
}

}  // namespace

std::vector<page::NamedColumn> graphColumns(const OutputContext& context, const RunReport& run, size_t index) {
  std::vector<page::NamedColumn> columns;
  if (!context.module.has(ir::Facet::Fused)) return columns;
  Diagram whole = std::get<DrawRun>(kSvgOutput.write)(context, run.id);
  leaveOutDetails(whole, context.module.isRecorded());
  // Folding in another way that leaves as many nodes is the same picture.
  std::set<size_t> sizes;
  for (const std::string_view fold : kFolds) {
    const Diagram diagram = drawing::fold(whole, fold);
    const size_t most = columns.empty() ? kMostNodes : kMostNodesAgain;
    if (diagram.nodes.size() < 2 || diagram.nodes.size() > most || drawing::absenceOfPicture(diagram)) continue;
    if (!sizes.insert(diagram.nodes.size()).second) continue;
    columns.push_back({fmt::format("{}/graph.{}", index, fold),
                       page::encodedText(describe(diagram).dump(-1, ' ', false, Json::error_handler_t::replace))});
  }
  return columns;
}

}  // namespace amdahlc
