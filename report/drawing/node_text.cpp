#include "report/drawing/node_text.h"

#include <fmt/format.h>

#include <cmath>

#include "report/drawing/svg_canvas.h"
#include "support/decimal_time.h"
#include "support/ratio.h"

namespace amdahlc::drawing {
namespace {

constexpr size_t kNameLength = 44, kFrameNameLength = 80, kFactLength = 200;

std::string limitsOf(const NodeTime& time) {
  const std::string least = formatShortSpeedup(time.leastLimit), largest = formatShortSpeedup(time.largestLimit);
  return least == largest ? least : least + " to " + largest;
}

std::string spreadOf(const NodeTime& time) {
  return fmt::format("{} to {}", formatUs(time.leastNs), formatUs(time.largestNs));
}

std::string countedName(const Node& node) {
  const std::string name = shortened(node.name, kNameLength);
  if (node.count == 1 && node.number && node.kind != NodeKind::Module) return fmt::format("{} {}", *node.number, name);
  // The name of a module says it already.
  return node.count == 1 || node.kind == NodeKind::Module ? name : fmt::format("{} \u00d7 {}", name, node.count);
}

}  // namespace

std::vector<std::string> columnsOf(const Diagram& diagram, const Node& node) {
  std::vector<std::string> columns{countedName(node)};
  if (!node.time) {
    columns.push_back(node.detail);
    return columns;
  }
  columns.push_back(formatUs(node.time->ns) + " us");
  for (size_t i = 0; i < diagram.scenarios.size(); ++i) {
    const int64_t predictedNs = node.time->predictedNs[i];
    columns.push_back(predictedNs == node.time->ns ? "" : "\u2192 " + formatUs(predictedNs));
  }
  columns.push_back(node.count > 1 && node.kind != NodeKind::Module ? spreadOf(*node.time) : "");
  columns.push_back(formatPercent(node.time->share));
  columns.push_back(node.count > 1 ? "" : "\u2264 " + limitsOf(*node.time));
  return columns;
}

std::string frameName(const Diagram& diagram, const Cluster& cluster) {
  std::string name = shortened(cluster.name, kFrameNameLength);
  if (cluster.count != diagram.clusters[cluster.parent].count)
    name += fmt::format(" \u00d7 {}{}", cluster.count, cluster.inSequence ? ", one after the other" : "");
  return name;
}

std::vector<std::pair<std::string, std::string>> factsOf(const Diagram& diagram, const Node& node) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (node.count > 1) facts.emplace_back("stands for", fmt::format("{} nodes", node.count));
  if (node.time) {
    facts.emplace_back("time", formatUs(node.time->ns) + " us an iteration");
    if (node.count > 1) facts.emplace_back("of each", spreadOf(*node.time) + " us");
    facts.emplace_back("share", formatPercent(node.time->share) + " of busy time");
    facts.emplace_back(node.count > 1 ? "speed-up limit of each" : "speed-up limit", limitsOf(*node.time));
    for (size_t i = 0; i < diagram.scenarios.size(); ++i)
      facts.emplace_back("in `" + diagram.scenarios[i] + "`", formatUs(node.time->predictedNs[i]) + " us");
  }
  if (node.critical) facts.emplace_back("critical path", "yes");
  if (node.count > 1 && node.kind != NodeKind::Module && !node.facts.empty())
    facts.emplace_back("below", "of the first of them");
  facts.insert(facts.end(), node.facts.begin(), node.facts.end());
  return facts;
}

std::string titleOf(const Diagram& diagram, const Node& node) {
  std::string title = shortened(node.name, kFactLength);
  for (const auto& [key, value] : factsOf(diagram, node)) title += "\n" + key + ": " + shortened(value, kFactLength);
  return title;
}

}  // namespace amdahlc::drawing
