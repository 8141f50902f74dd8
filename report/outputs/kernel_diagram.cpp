#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ir/facets/critical_path.h"
#include "ir/operator_graph.h"
#include "passes/manager/report_values.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/drawing/dot.h"
#include "report/drawing/fold.h"
#include "report/outputs/diagram_clusters.h"
#include "report/outputs/output_options.h"
#include "report/verdict.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

using drawing::Diagram;
using drawing::NodeKind;

// Names in one fact; the others are counted.
constexpr size_t kListedNames = 12;

NodeKind kindOf(const KernelRow& kernel, bool isMeasured) {
  switch (kernel.state) {
    case ir::KernelState::NoDeviceWork:
      return NodeKind::NoDeviceWork;
    case ir::KernelState::NotExecuted:
      return NodeKind::NotExecuted;
    case ir::KernelState::Ambiguous:
      return NodeKind::Ambiguous;
    case ir::KernelState::Bound:
      return NodeKind::Measured;
    case ir::KernelState::Unbound:
      return isMeasured ? NodeKind::Missed : NodeKind::Plain;
  }
  return NodeKind::Plain;
}

class KernelDiagram {
 public:
  KernelDiagram(const Report& report, const RunReport& run, const ir::OperatorGraph& operators, bool docStrings)
      : module_(*report.module),
        run_(run),
        operators_(operators),
        graph_(module_, operators, *run.cover),
        docStrings_(docStrings),
        clusters_(module_, diagram_),
        nodeOf_(run.kernels.size(), 0) {}

  Diagram build() {
    addHeader();
    addInputs();
    for (const KernelRow& kernel : run_.kernels) addKernel(kernel);
    addEdges();
    addOutputs();
    return std::move(diagram_);
  }

 private:
  void addHeader() {
    diagram_.header.push_back(
        printable(run_.timeline == nullptr ? module_.modelName : fmt::format("{}: {}", module_.modelName, run_.label)));
    if (const auto verdict = verdictOn(run_)) diagram_.header.push_back(printable(verdict->text));
    if (run_.totals) {
      const TraceTotals& totals = *run_.totals;
      std::string line = fmt::format("an iteration: busy {} us", formatUs(totals.busy.meanNs));
      if (totals.wall) line += fmt::format(", wall {} us", formatUs(totals.wall->meanNs));
      if (totals.window) line += fmt::format(", window {} us", formatUs(totals.window->meanNs));
      diagram_.header.push_back(line + fmt::format("; {} of device time bound", formatPercent(boundShare(totals))));
    }
    for (std::string& caveat : caveatsOn(run_)) diagram_.header.push_back(std::move(caveat));
    for (const Prediction& prediction : predictionsOf(*run_.measured.analyses, run_.measured.id)) {
      diagram_.scenarios.push_back(printable(prediction.scenario));
      const schedule::PredictedTimes& times = prediction.times;
      std::string line = fmt::format("what-if `{}`: busy {} us", diagram_.scenarios.back(),
                                     formatUs(run_.measured.perIteration(times.busyNs)));
      if (times.wallNs)
        line += fmt::format(", wall {} us ({})", formatUs(run_.measured.perIteration(*times.wallNs)),
                            participle(times.model));
      if (times.caution != schedule::Caution::None) line += fmt::format("; {}", schedule::describe(times.caution));
      diagram_.header.push_back(line + "; its time follows the measured one behind an arrow");
    }
  }

  static double boundShare(const TraceTotals& totals) {
    return totals.deviceTotalNs == 0
               ? 0
               : static_cast<double>(totals.boundTotalNs) / static_cast<double>(totals.deviceTotalNs);
  }

  size_t addNode(drawing::Node node) {
    diagram_.nodes.push_back(std::move(node));
    return diagram_.nodes.size() - 1;
  }

  void addInputs() {
    for (const ir::ValueId input : module_.graphs[ir::kMainGraph].inputs) {
      const ir::Value& value = module_.values[input];
      if (value.kind != ir::Value::Kind::Input) continue;
      const std::string name = printable(module_.text(value.name));
      nodeOfInput_.emplace(input, addNode({.name = name,
                                           .detail = printable(ir::describe(value.type)),
                                           .signature = "input",
                                           .kind = NodeKind::Terminal,
                                           .facts = {{"input", ir::describe(value.type)}}}));
    }
  }

  void addKernel(const KernelRow& row) {
    const ir::Kernel& kernel = run_.cover->kernels[row.id];
    const ir::GraphId graph = graph_.graphOf(row.id);
    drawing::Node node;
    node.name = printable(row.label);
    node.number = row.id.index();
    node.signature = signatureOf(row, kernel);
    node.kind = kindOf(row, run_.totals.has_value());
    node.cluster = clusters_.of(graph, ir::kernelScope(module_, kernel));
    node.critical = row.critical.value_or(false);
    if (row.time && row.shares && row.time->totalNs > 0) node.time = timeOf(row);
    node.facts = factsOf(row, kernel);
    nodeOf_[row.id] = addNode(std::move(node));
    for (const ir::OpId op : kernel.ops)
      for (const ir::Region& region : module_.ops[op].regions) {
        std::string name = fmt::format("{} of {}", printable(region.name), printable(module_.displayName(op)));
        if (row.tripCount) name += fmt::format(", {}", plural(*row.tripCount, "trip"));
        clusters_.openBody(region.graph, ir::kernelScope(module_, kernel), nodeOf_[row.id], std::move(name));
      }
  }

  /// Kernels that a rule made of operators with results of the same shapes are alike.
  std::string signatureOf(const KernelRow& row, const ir::Kernel& kernel) const {
    std::string signature = row.label;
    for (const ir::OpId op : kernel.ops)
      for (const ir::ValueId output : operators_.outputs(op))
        if (output != ir::kNone) signature += " " + ir::describe(module_.values[output].type);
    return signature;
  }

  drawing::NodeTime timeOf(const KernelRow& row) const {
    drawing::NodeTime time{.meanNs = row.time->meanNs,
                           .share = row.shares->ratio,
                           .leastLimit = row.shares->maxSpeedup,
                           .largestLimit = row.shares->maxSpeedup,
                           .leastNs = row.time->meanNs,
                           .largestNs = row.time->meanNs,
                           .predictedNs = {}};
    const double measuredNs = static_cast<double>(row.time->totalNs) / static_cast<double>(run_.measured.iterations);
    for (const Prediction& prediction : predictionsOf(*run_.measured.analyses, run_.measured.id))
      time.predictedNs.push_back(prediction.newNs(row.id, measuredNs).value_or(static_cast<double>(row.time->meanNs)));
    return time;
  }

  static std::string listed(const std::vector<std::string>& names) {
    const size_t shown = std::min(names.size(), kListedNames);
    std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
    return shown == names.size() ? text : text + fmt::format(" and {} more", names.size() - shown);
  }

  std::string describe(ir::ValueId id) const {
    const ir::Value& value = module_.values[id];
    return printable(fmt::format("{} {}", module_.text(value.name), ir::describe(value.type)));
  }

  /// Values that cross the border of the kernel.
  void addOperands(const ir::Kernel& kernel, std::vector<std::pair<std::string, std::string>>& facts) const {
    const std::set<ir::OpId> own(kernel.ops.begin(), kernel.ops.end());
    std::set<ir::ValueId> seen;
    std::vector<std::string> inputs, weights, outputs;
    for (const ir::OpId op : kernel.ops) {
      for (const ir::ValueId input : operators_.inputs(op)) {
        if (input == ir::kNone || own.contains(operators_.producer(input)) || !seen.insert(input).second) continue;
        (operators_.isConstant(input) ? weights : inputs).push_back(describe(input));
      }
      for (const ir::ValueId output : operators_.outputs(op)) {
        if (output == ir::kNone) continue;
        const auto uses = operators_.uses(output);
        const bool leaves =
            operators_.isGraphOutput(output) ||
            std::any_of(uses.begin(), uses.end(), [&](const auto& use) { return !own.contains(use.op); });
        if (leaves) outputs.push_back(describe(output));
      }
    }
    if (!inputs.empty()) facts.emplace_back("inputs", listed(inputs));
    if (!weights.empty()) facts.emplace_back("constants", listed(weights));
    if (!outputs.empty()) facts.emplace_back("outputs", listed(outputs));
  }

  std::vector<std::pair<std::string, std::string>> factsOf(const KernelRow& row, const ir::Kernel& kernel) const {
    std::vector<std::pair<std::string, std::string>> facts{{"kernel", fmt::format("{}", row.id.index())}};
    const auto add = [&](const char* key, const std::string& value) {
      if (!value.empty()) facts.emplace_back(key, printable(value));
    };
    add("rule", row.rule.value_or("none"));
    add("category", row.category);
    add("scope", row.scope);
    if (run_.totals) add("state", std::string(ir::name(row.state)));
    add("missed because", row.missReason);
    if (row.events) add("events", fmt::format("{} an iteration", *row.events));
    if (row.time && run_.measured.iterations > 1)
      add("standard deviation", fmt::format("{} us", formatUs(roundedNs(row.time->standardDeviationNs))));
    if (row.slackNs) add("slack", fmt::format("{} us", formatUs(*row.slackNs)));
    if (row.tripCount) add("trips", fmt::format("{}", *row.tripCount));
    std::vector<std::string> nodes;
    for (const std::string& name : row.nodes) nodes.push_back(printable(name));
    add("nodes", listed(nodes));
    addOperands(kernel, facts);
    add("rule says", row.doc);
    if (docStrings_)
      for (const ir::OpId op : kernel.ops)
        if (const std::string_view doc = module_.text(module_.ops[op].docString); !doc.empty())
          add("doc string", std::string(doc));
    return facts;
  }

  void addEdges() {
    std::map<std::pair<ir::KernelId, ir::KernelId>, std::string> labels;
    std::map<std::pair<std::string, ir::KernelId>, std::string> inputLabels;
    std::set<std::pair<ir::KernelId, ir::KernelId>> onPath;
    if (const auto* path = run_.cover->facets.get<ir::CriticalPathFacet>()) {
      for (size_t i = 1; i < path->path.size(); ++i) onPath.emplace(path->path[i - 1], path->path[i]);
      for (const ir::Branch& branch : path->branches) {
        if (branch.pathNs == 0) continue;
        std::string text = fmt::format("{} us, {}", formatUs(run_.measured.perIteration(branch.pathNs)),
                                       formatPercent(run_.measured.busyShare(branch.pathNs)));
        if (branch.via)
          labels.emplace(std::pair(*branch.via, branch.join), std::move(text));
        else
          inputLabels.emplace(std::pair(branch.viaInput, branch.join), std::move(text));
      }
      if (!labels.empty() || !inputLabels.empty())
        diagram_.notes.emplace_back(
            "a label on an edge: the longest path of its branch, from where the paths into the join part, with its "
            "share of busy time");
    }
    const auto labelIn = [](const auto& known, const auto& key) {
      const auto found = known.find(key);
      return found == known.end() ? std::string() : found->second;
    };
    for (const KernelRow& kernel : run_.kernels) {
      for (const ir::ValueId input : graph_.graphInputs(kernel.id))
        if (const auto node = nodeOfInput_.find(input); node != nodeOfInput_.end())
          diagram_.edges.push_back(
              {node->second, nodeOf_[kernel.id],
               labelIn(inputLabels, std::pair(std::string(module_.text(module_.values[input].name)), kernel.id))});
      for (const ir::KernelId from : graph_.predecessors(kernel.id))
        diagram_.edges.push_back({nodeOf_[from], nodeOf_[kernel.id], labelIn(labels, std::pair(from, kernel.id)),
                                  onPath.contains({from, kernel.id})});
    }
  }

  void addOutputs() {
    for (const ir::ValueId output : module_.graphs[ir::kMainGraph].outputs) {
      const ir::OpId producer = operators_.producer(output);
      const ir::KernelId kernel = producer == ir::kNone ? ir::KernelId(ir::kNone) : graph_.kernelOf(producer);
      if (kernel == ir::kNone) continue;
      const ir::Value& value = module_.values[output];
      const size_t node = addNode({.name = printable(module_.text(value.name)),
                                   .detail = printable(ir::describe(value.type)),
                                   .signature = "output",
                                   .kind = NodeKind::Terminal,
                                   .facts = {{"output", ir::describe(value.type)}}});
      diagram_.edges.push_back({nodeOf_[kernel], node, {}});
    }
  }

  const ir::Module& module_;
  const RunReport& run_;
  const ir::OperatorGraph& operators_;
  const ir::KernelGraph graph_;
  const bool docStrings_;
  Diagram diagram_;
  DiagramClusters clusters_;
  IdVector<ir::KernelId, size_t> nodeOf_;
  std::map<ir::ValueId, size_t> nodeOfInput_;
};

Diagram kernelsOf(const OutputContext& context, ir::CoverId run) {
  return KernelDiagram(context.reported(), context.reported(run), context.analyses.get<ir::OperatorGraph>(),
                       context.picture.docStrings)
      .build();
}

}  // namespace

constinit const Output kDotOutput{
    .name = "dot",
    .summary = "the picture `svg` as a graph for Graphviz",
    .needs = ir::Facet::Fused,
    .write =
        [](const OutputContext& context, ir::CoverId run) {
          return drawing::writeDot(drawing::fold(kernelsOf(context, run), context.picture.fold), context.picture);
        },
    .options = kOptionsOfPictures};
constinit const Output kSvgOutput{
    .name = "svg",
    .summary = "a picture of the kernels: time, share, limit, the critical path, branch totals, what-ifs",
    .needs = ir::Facet::Fused,
    .write = kernelsOf,
    .options = kOptionsOfPictures};

}  // namespace amdahlc
