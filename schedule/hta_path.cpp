// Of several longest paths the one that networkx finds in HolisticTraceAnalysis is taken: its topological order goes by
// generations (nodes without predecessors, then those that have none without these, ...), the first generation in the
// order in which edges name nodes first, others by the order of edges. Of predecessors and of ends, the first of the
// longest wins.
#include "schedule/hta_path.h"

#include <algorithm>
#include <span>
#include <utility>

#include "schedule/hta_graph.h"
#include "schedule/hta_rows.h"
#include "support/compressed_rows.h"
#include "support/sort_unique.h"

namespace amdahlc::schedule {
namespace {

__extension__ typedef __int128 Wide;

CompressedRows<HtaNodeIndex, uint32_t> edgesBy(HtaNodeIndex HtaEdge::* end, const HtaGraph& graph) {
  std::vector<std::pair<HtaNodeIndex, uint32_t>> entries;
  entries.reserve(graph.edges().size());
  for (uint32_t edge = 0; edge < graph.edges().size(); ++edge) entries.emplace_back(graph.edges()[edge].*end, edge);
  return {graph.nodes().size(), entries};
}

/// Of the nodes that have edges; empty if there is a cycle.
std::vector<HtaNodeIndex> topologicalOrder(const HtaGraph& graph) {
  const std::vector<HtaEdge>& edges = graph.edges();
  std::vector<uint32_t> missing(graph.nodes().size(), 0);
  for (const HtaEdge& edge : edges) ++missing[edge.to];
  std::vector<HtaNodeIndex> order;
  std::vector<bool> isNamed(graph.nodes().size(), false);
  size_t named = 0;
  for (const HtaEdge& edge : edges) {
    for (const HtaNodeIndex node : {edge.from, edge.to}) {
      if (isNamed[node]) continue;
      isNamed[node] = true;
      ++named;
      if (missing[node] == 0) order.push_back(node);
    }
  }
  const auto successors = edgesBy(&HtaEdge::from, graph);
  for (size_t next = 0; next < order.size(); ++next)
    for (const uint32_t edge : successors[order[next]])
      if (--missing[edges[edge].to] == 0) order.push_back(edges[edge].to);
  if (order.size() < named) order.clear();
  return order;
}

struct LongestPath {
  /// From the end of the path to its start.
  std::vector<HtaEdge> edges;
  /// In us / the denominator of the factor.
  Wide length = 0;
};

/// Precondition: there is no cycle. nullopt if a length does not fit.
std::optional<LongestPath> longestPath(const HtaGraph& graph, std::span<const HtaNodeIndex> order,
                                       const Rational& deviceFactor) {
  const std::vector<HtaEdge>& edges = graph.edges();
  const auto predecessors = edgesBy(&HtaEdge::to, graph);
  std::vector<Wide> length(graph.nodes().size(), 0);
  std::vector<uint32_t> into(graph.nodes().size(), kNoIndex);
  HtaNodeIndex end = order.front();
  for (const HtaNodeIndex node : order) {
    for (const uint32_t edge : predecessors[node]) {
      const bool isDevice = edges[edge].kind == HtaEdgeKind::Device;
      const Wide weight = Wide{edges[edge].us} * (isDevice ? deviceFactor.numerator : deviceFactor.denominator);
      Wide sum = 0;
      if (__builtin_add_overflow(length[edges[edge].from], weight, &sum)) return std::nullopt;
      if (into[node] != kNoIndex && sum <= length[node]) continue;
      length[node] = sum;
      into[node] = edge;
    }
    if (length[node] > length[end]) end = node;
  }
  LongestPath path;
  path.length = length[end];
  for (; into[end] != kNoIndex; end = path.edges.back().from) path.edges.push_back(edges[into[end]]);
  return path;
}

/// nullopt if it does not fit.
std::optional<Rational> quotient(Wide numerator, int64_t denominator) {
  const Rational rest = Rational::of(static_cast<int64_t>(numerator % denominator), denominator);
  Rational result = rest;
  if (__builtin_mul_overflow(numerator / denominator, rest.denominator, &result.numerator) ||
      __builtin_add_overflow(result.numerator, rest.numerator, &result.numerator))
    return std::nullopt;
  return result;
}

/// False if a sum does not fit.
bool addPiece(HtaPiece::Kind kind, Symbol name, int64_t us, HtaPath& path) {
  int64_t HtaPath::* const sums[] = {&HtaPath::hostUs, &HtaPath::deviceUs, &HtaPath::gapUs, &HtaPath::launchUs};
  int64_t& sum = path.*sums[static_cast<size_t>(kind)];
  if (__builtin_add_overflow(sum, us, &sum)) return false;
  const bool continues = !path.pieces.empty() && path.pieces.back().kind == kind && path.pieces.back().name == name;
  if (continues)
    path.pieces.back().us += us;
  else
    path.pieces.push_back({kind, name, us});
  return true;
}

std::optional<HtaPath> describe(const LongestPath& found, const HtaRows& rows, const HtaGraph& graph,
                                const Rational& deviceFactor) {
  const auto pieceKind = [](HtaEdgeKind kind) -> std::optional<HtaPiece::Kind> {
    switch (kind) {
      case HtaEdgeKind::Host:
        return HtaPiece::Kind::Host;
      case HtaEdgeKind::Device:
        return HtaPiece::Kind::Device;
      case HtaEdgeKind::Gap:
        return HtaPiece::Kind::Gap;
      case HtaEdgeKind::Launch:
        return HtaPiece::Kind::Launch;
      case HtaEdgeKind::Order:
      case HtaEdgeKind::Wait:
        break;
    }
    return std::nullopt;
  };
  HtaPath path;
  const std::optional<Rational> length = quotient(found.length, deviceFactor.denominator);
  if (!length) return std::nullopt;
  path.lengthUs = *length;
  std::vector<HtaRowIndex> events;
  for (const HtaEdge& edge : found.edges) {
    if (events.empty()) events.push_back(graph.nodes()[edge.to].row);
    events.push_back(graph.nodes()[edge.from].row);
    const auto kind = pieceKind(edge.kind);
    const Symbol name = edge.row == kNoIndex ? Symbol{} : rows[edge.row].name;
    if (kind && edge.us > 0 && !addPiece(*kind, name, edge.us, path)) return std::nullopt;
  }
  std::reverse(path.pieces.begin(), path.pieces.end());
  path.nodes = events.size();
  sortUnique(events);
  path.events = events.size();
  path.waitEdges = static_cast<size_t>(std::count_if(
      graph.edges().begin(), graph.edges().end(), [](const HtaEdge& edge) { return edge.kind == HtaEdgeKind::Wait; }));
  return path;
}

}  // namespace

std::string_view text(HtaFault fault) {
  switch (fault) {
    case HtaFault::None:
      return {};
    case HtaFault::NoHostEvents:
      return "the trace has no host events";
    case HtaFault::NoStarts:
      return "the trace does not say when events started";
    case HtaFault::NoAnnotation:
      return "no annotation has this name";
    case HtaFault::NoEdges:
      return "nothing in it follows anything else";
    case HtaFault::Cycle:
      return "events cross on their threads, or the clocks of host and device disagree";
    case HtaFault::TooLarge:
      return "it has too many events";
    case HtaFault::TooLong:
      return "its length does not fit 64 bits";
  }
  return {};
}

HtaResult htaPath(const Timeline& timeline, const HtaScope& scope, const Rational& deviceFactor) {
  const auto failed = [](HtaFault fault) { return HtaResult{std::nullopt, fault}; };
  if (!timeline.host || timeline.host->size() == 0) return failed(HtaFault::NoHostEvents);
  if (!timeline.hasStarts) return failed(HtaFault::NoStarts);
  if (timeline.host->size() + timeline.size() >= kNoIndex / 2) return failed(HtaFault::TooLarge);
  HtaRows rows(timeline);
  if (!rows.setScope(scope)) return failed(HtaFault::NoAnnotation);
  const HtaGraph graph(rows);
  if (graph.isTooLarge()) return failed(HtaFault::TooLarge);
  if (graph.edges().empty()) return failed(HtaFault::NoEdges);
  const std::vector<HtaNodeIndex> order = topologicalOrder(graph);
  if (order.empty()) return failed(HtaFault::Cycle);
  const std::optional<LongestPath> found = longestPath(graph, order, deviceFactor);
  std::optional<HtaPath> path = found ? describe(*found, rows, graph, deviceFactor) : std::nullopt;
  if (!path) return failed(HtaFault::TooLong);
  return {std::move(path), HtaFault::None};
}

}  // namespace amdahlc::schedule
