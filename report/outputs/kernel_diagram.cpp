#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <map>
#include <set>

#include "ir/facets/critical_path.h"
#include "ir/kernel_accesses.h"
#include "ir/kernel_graph.h"
#include "ir/operator_graph.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/drawing/diagram_writers.h"
#include "report/drawing/fold.h"
#include "report/outputs/model_diagram.h"
#include "report/outputs/output_options.h"
#include "report/report.h"
#include "support/decimal_time.h"
#include "support/name_list.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using drawing::Diagram;
using drawing::NodeKind;

// Names in one fact; the others are counted.
constexpr size_t kListedNames = 12;

/// By state. Before a run is measured, no kernel is missed.
constexpr NodeKind kKindsOfStates[] = {NodeKind::Missed, NodeKind::Measured, NodeKind::NoDeviceWork,
                                       NodeKind::NotExecuted, NodeKind::Ambiguous};
static_assert(std::size(kKindsOfStates) == std::size(ir::kKernelStates));

class KernelDiagram : ModelDiagram {
 public:
  KernelDiagram(const OutputContext& context, ir::CoverId run)
      : ModelDiagram(context.module, context.picture.docStrings),
        run_(context.reported(run)),
        operators_(context.analyses.get<ir::OperatorGraph>()),
        graph_(context.analyses.get<ir::KernelGraph>(run)),
        accesses_(context.analyses.get<ir::KernelAccesses>(run)),
        nodeOf_(run_.kernels.size(), 0) {}

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
    diagram_.header.push_back(run_.title());
    if (run_.verdict) diagram_.header.push_back(printable(run_.verdict->whole()));
    if (run_.totals) {
      const TraceTotals& totals = *run_.totals;
      std::string line = fmt::format("an iteration: busy {} us", formatUs(totals.busy.reportedNs));
      if (run_.showsUndisturbed())
        line += fmt::format(" (undisturbed {} us: shares of busy are of it)", formatUs(*totals.undisturbedNs));
      if (totals.wall) line += fmt::format(", wall {} us", formatUs(totals.wall->reportedNs));
      if (totals.window) line += fmt::format(", window {} us", formatUs(totals.window->reportedNs));
      diagram_.header.push_back(line +
                                fmt::format("; {} of {} bound",
                                            formatPercent(shareOf(totals.bound.reportedNs, totals.device.reportedNs)),
                                            run_.target.eventTimeName()));
    }
    if (std::string caveat = run_.caveatBesideVerdict(); !caveat.empty()) diagram_.header.push_back(std::move(caveat));
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id)) {
      diagram_.scenarios.push_back(printable(prediction.scenario));
      const schedule::PredictedTimes& times = prediction.times;
      std::string line = fmt::format("what-if `{}`: busy {} us", diagram_.scenarios.back(),
                                     run_.predictedUs(static_cast<double>(times.busyNs)));
      if (times.wallNs)
        line += fmt::format(", wall {} us ({})", run_.predictedUs(static_cast<double>(*times.wallNs)),
                            schedule::info(times.model).how);
      if (times.caution != schedule::Caution::None) line += fmt::format("; {}", schedule::describe(times.caution));
      diagram_.header.push_back(line + "; its time follows the measured one behind an arrow");
    }
  }

  void addKernel(const KernelRow& row) {
    const ir::Kernel& kernel = run_.cover->kernels[row.id];
    const ir::GraphId graph = graph_.graphOf(row.id);
    drawing::Node node;
    node.name = printable(row.label);
    node.number = row.id.index();
    node.signature = signatureOf(row, kernel);
    node.kind = row.state == ir::KernelState::Unbound && !run_.totals ? NodeKind::Plain
                                                                      : kKindsOfStates[static_cast<size_t>(row.state)];
    node.cluster = clusterOf(graph, ir::kernelScope(module_, kernel));
    node.critical = row.critical.value_or(false);
    if (row.isMeasured() && row.shares) node.time = timeOf(row);
    node.facts = factsOf(row, kernel);
    nodeOf_[row.id] = addNode(std::move(node));
    for (const ir::OpId op : kernel.ops)
      for (const ir::Region& region : module_.ops[op].regions) {
        std::string name = fmt::format("{} of {}", printable(region.name), printable(module_.displayName(op)));
        if (row.tripCount) name += fmt::format(", {}", plural(*row.tripCount, "trip"));
        openBody(region.graph, ir::kernelScope(module_, kernel), nodeOf_[row.id], std::move(name));
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
    drawing::NodeTime time{.ns = row.time->reportedNs,
                           .share = row.shares->ratio,
                           .leastLimit = row.shares->maxSpeedup,
                           .largestLimit = row.shares->maxSpeedup,
                           .leastNs = row.time->reportedNs,
                           .largestNs = row.time->reportedNs,
                           .predictedNs = {}};
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id))
      time.predictedNs.push_back(predictedKernelNs(run_, prediction, row.id).value_or(row.time->reportedNs));
    return time;
  }

  static std::string listed(const std::vector<std::string>& names) {
    return firstFew(names, [](const std::string& name) { return printable(name); }, kListedNames);
  }

  std::string describe(ir::ValueId id) const {
    const ir::Value& value = module_.values[id];
    return printable(fmt::format("{} {}", module_.text(value.name), ir::describe(value.type)));
  }

  /// Values that cross the border of the kernel.
  void addOperands(ir::KernelId kernel, std::vector<std::pair<std::string, std::string>>& facts) const {
    std::set<ir::ValueId> seen;
    std::vector<std::string> inputs, weights, outputs;
    for (const ir::ValueId value : accesses_.reads(kernel))
      if (seen.insert(value).second) (operators_.isConstant(value) ? weights : inputs).push_back(describe(value));
    for (const ir::ValueId value : accesses_.writes(kernel)) outputs.push_back(describe(value));
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
    if (row.time && run_.iterations > 1)
      add("standard deviation", fmt::format("{} us", formatUs(roundedNs(row.time->standardDeviationNs))));
    if (row.slackNs) add("slack", fmt::format("{} us", formatUs(*row.slackNs)));
    if (row.tripCount) add("trips", fmt::format("{}", *row.tripCount));
    add("nodes", listed(row.nodes));
    addOperands(row.id, facts);
    add("rule says", row.doc);
    if (docStrings_)
      for (const ir::OpId op : kernel.ops)
        if (const std::string_view doc = module_.text(module_.ops[op].docString); !doc.empty())
          add("doc string", std::string(doc));
    return facts;
  }

  void addEdges() {
    // By the nodes at the ends of edges.
    std::map<std::pair<size_t, size_t>, std::string> labels;
    std::set<std::pair<size_t, size_t>> onPath;
    if (const auto* path = run_.cover->facets.get<ir::CriticalPathFacet>()) {
      for (size_t i = 1; i < path->path.size(); ++i) onPath.emplace(nodeOf_[path->path[i - 1]], nodeOf_[path->path[i]]);
      std::map<std::string_view, size_t> inputs;
      for (const auto& [input, node] : inputs_) inputs.emplace(module_.text(module_.values[input].name), node);
      bool isBeyondBusy = false;
      for (const ir::Branch& branch : path->branches) {
        const auto input = inputs.find(branch.viaInput);
        if (branch.pathNs == 0 || (!branch.via && input == inputs.end())) continue;
        isBeyondBusy |= run_.busyShare(branch.pathNs) > 1;
        labels.emplace(std::pair(branch.via ? nodeOf_[*branch.via] : input->second, nodeOf_[branch.join]),
                       fmt::format("{} us, {}", formatUs(run_.perIteration(branch.pathNs)),
                                   formatPercent(run_.busyShare(branch.pathNs))));
      }
      if (!labels.empty())
        diagram_.notes.emplace_back(
            "a label on an edge: the longest path of its branch, from where the paths into the join part, with its "
            "share of busy time");
      if (isBeyondBusy)
        diagram_.notes.emplace_back(
            "a share above 100 %: kernels of the path ran at the same time, which busy time has once");
    }
    const auto add = [&](size_t from, size_t to) {
      const auto label = labels.find({from, to});
      diagram_.edges.push_back(
          {from, to, label == labels.end() ? std::string() : label->second, onPath.contains({from, to})});
    };
    for (const KernelRow& kernel : run_.kernels) {
      for (const ir::ValueId input : graph_.graphInputs(kernel.id))
        if (const auto node = inputs_.find(input); node != inputs_.end()) add(node->second, nodeOf_[kernel.id]);
      for (const ir::KernelId from : graph_.predecessors(kernel.id)) add(nodeOf_[from], nodeOf_[kernel.id]);
    }
  }

  void addOutputs() {
    for (const ir::ValueId output : module_.graphs[ir::kMainGraph].outputs) {
      const ir::OpId producer = operators_.producer(output);
      const ir::KernelId kernel = producer == ir::kNone ? ir::KernelId(ir::kNone) : graph_.kernelOf(producer);
      if (kernel == ir::kNone) continue;
      diagram_.edges.push_back({nodeOf_[kernel], addTerminal(output, "output"), {}});
    }
  }

  const RunReport& run_;
  const ir::OperatorGraph& operators_;
  const ir::KernelGraph& graph_;
  const ir::KernelAccesses& accesses_;
  IdVector<ir::KernelId, size_t> nodeOf_;
};

Diagram kernelsOf(const OutputContext& context, ir::CoverId run) { return KernelDiagram(context, run).build(); }

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
