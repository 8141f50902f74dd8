// The model for Model Explorer, the model viewer of Google AI Edge (docs/formats/model-explorer.md): the operators
// after `simplify` in their modules and bodies, with what is known of them in a run, and critical paths.
//
// The file has one graph, in which bodies of `If`, `Loop` and `Scan` are namespaces beside their operator, so that
// sums over a namespace include them. An edge leads from the operator to what begins its bodies. Nothing leads back
// from a body to the operator: what follows it uses the operator's own outputs.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ir/facets/critical_path.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "report/attribute_text.h"
#include "report/drawing/palette.h"
#include "report/json_stream.h"
#include "report/outputs/model_explorer_names.h"
#include "report/outputs/output.h"
#include "report/report.h"
#include "support/decimal_time.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;

/// Of critical paths, as measured and under a what-if. Not that of pictures, which the viewer has for what follows
/// the selected node; the two differ in lightness.
constexpr std::string_view kPathColor = "#882255", kPredictedPathColor = "#cc79a7";
constexpr int kPathWidth = 3;

/// A list of pairs of key and value, as the viewer wants attributes. An empty value is left out.
class Attributes {
 public:
  void add(std::string_view key, std::string_view value) {
    if (!value.empty()) addPair(key, printable(value));
  }
  /// Ids of nodes, which the viewer makes links.
  void addNodes(std::string_view key, const std::vector<std::string>& ids) {
    if (!ids.empty()) addPair(key, {{"type", "node_ids"}, {"nodeIds", ids}});
  }
  Json take() { return std::move(list_); }

 private:
  // Braces would copy all that is inside of them: this is called for every word of a large file.
  void addPair(std::string_view key, Json value) {
    Json& pair = list_.emplace_back(Json::object());
    pair.emplace("key", std::string(key));
    pair.emplace("value", std::move(value));
  }

  Json list_ = Json::array();
};

class ModelExplorerGraph {
 public:
  ModelExplorerGraph(const OutputContext& context, ir::CoverId run)
      : module_(context.module),
        run_(context.reported(run)),
        operators_(context.analyses.get<ir::OperatorGraph>()),
        names_(module_, operators_),
        scale_(largestShare(run_)),
        out_(text_) {}

  std::string write() {
    out_.beginObject();
    out_.member("label", run_.title());
    out_.beginArray("graphs");
    out_.beginObject();
    out_.member("id", names_.graphId());
    out_.beginArray("nodes");
    for (const ir::ValueId input : module_.graphs[ir::kMainGraph].inputs) addInput(input, nullptr, "");
    for (const ir::OpId op : operators_.order()) addOperator(op);
    addOutputs(ir::kMainGraph, nullptr, "");
    out_.end();
    addGroups();
    addPaths();
    out_.end();
    out_.end();
    out_.end();
    text_ += '\n';
    return std::move(text_);
  }

 private:
  static double largestShare(const RunReport& run) {
    double largest = 0;
    for (const KernelRow& kernel : run.kernels)
      if (kernel.shares && kernel.isMeasured()) largest = std::max(largest, kernel.shares->ratio);
    return largest;
  }

  bool hasTime(const KernelRow& kernel) const {
    return kernel.isMeasured() && kernel.shares && run_.undisturbedBusyNs > 0;
  }

  // Values.

  /// `__tensor_tag` is what the viewer calls an input or output; `tensor_shape` is what it writes on edges.
  Attributes tensor(ir::ValueId id) const {
    const ir::Value& value = module_.values[id];
    Attributes facts;
    facts.add("__tensor_tag", module_.text(value.name));
    facts.add("tensor_shape", ir::describe(value.type));
    if (value.byteSize) facts.add("bytes", fmt::format("{}", *value.byteSize));
    return facts;
  }

  /// `weight float32[256,256], 262144 bytes`.
  std::string describe(ir::ValueId id) const {
    const ir::Value& value = module_.values[id];
    std::string text = fmt::format("{} {}", module_.text(value.name), ir::describe(value.type));
    return value.byteSize ? text + fmt::format(", {} bytes", *value.byteSize) : text;
  }

  static Json metadata(std::string id, Attributes facts) {
    Json item = Json::object();
    item.emplace("id", std::move(id));
    item.emplace("attrs", facts.take());
    return item;
  }

  /// A result. Node data may be keyed by `tensor_name`, which the viewer prefers to ids of nodes: so it is not given
  /// where it is such an id, or where a value of another body has the same name.
  Json result(ir::ValueId id, size_t index) {
    Attributes facts = tensor(id);
    const std::string name = printable(module_.text(module_.values[id].name));
    if (module_.values[id].graph == ir::kMainGraph && names_.isFree(name)) facts.add("tensor_name", name);
    return metadata(fmt::format("{}", index), std::move(facts));
  }

  static Json edge(const std::string& from, const std::string& output, const std::string& input) {
    Json ends = Json::object();
    ends.emplace("sourceNodeId", from);
    ends.emplace("sourceNodeOutputId", output);
    ends.emplace("targetNodeInputId", input);
    return ends;
  }

  /// An edge from where a value comes from; null for a constant, which has no node.
  Json edgeOf(ir::ValueId value, size_t operand) const {
    const std::string input = fmt::format("{}", operand);
    if (const ir::OpId producer = operators_.producer(value); producer != ir::kNone)
      return edge(names_.id(producer), fmt::format("{}", module_.values[value].producerIndex), input);
    if (const auto node = inputs_.find(value); node != inputs_.end()) return edge(node->second, "0", input);
    return nullptr;
  }

  // Inputs and outputs of graphs.

  /// An operator with a body, as a node of the body that depends on it sees it.
  struct Owner {
    const std::string& id;
    std::string output;
  };

  void addTerminal(std::string id, const std::string& label, const std::string& space, Json edges, Json outputs) {
    Json node{{"id", std::move(id)}, {"label", printable(label)}, {"namespace", space}};
    node["incomingEdges"] = std::move(edges);
    node["outputsMetadata"] = std::move(outputs);
    out_.line(node);
  }

  void addInput(ir::ValueId id, const Owner* owner, const std::string& space) {
    const ir::Value& value = module_.values[id];
    if (value.kind != ir::Value::Kind::Input) return;
    const std::string name = printable(module_.text(value.name));
    const std::string& node = inputs_[id] = names_.claim("[input] " + name);
    Json edges = Json::array();
    if (owner) edges.push_back(edge(owner->id, owner->output, "0"));
    addTerminal(node, "input " + name, space, std::move(edges), Json::array({metadata("0", tensor(id))}));
  }

  void addOutputs(ir::GraphId graph, const Owner* owner, const std::string& space) {
    for (const ir::ValueId output : module_.graphs[graph].outputs) {
      const std::string name = printable(module_.text(module_.values[output].name));
      Json from = edgeOf(output, 0);
      const bool isInside = !from.is_null() && module_.values[output].graph == graph;
      Json edges = Json::array();
      if (!from.is_null()) edges.push_back(std::move(from));
      if (owner && !isInside) edges.push_back(edge(owner->id, owner->output, "1"));
      addTerminal(names_.claim("[output] " + name), "output " + name, space, std::move(edges), Json::array());
    }
  }

  // Operators.

  void addOperator(ir::OpId id) {
    const ir::Op& op = module_.ops[id];
    const KernelRow* kernel = run_.nodes[id].kernels.empty() ? nullptr : &run_.kernels[run_.nodes[id].kernels.front()];
    Json node{
        {"id", names_.id(id)},
        {"label", printable(op.domain.empty() ? std::string(module_.text(op.type))
                                              : fmt::format("{}::{}", module_.text(op.domain), module_.text(op.type)))},
        {"namespace", names_.space(op.graph, op.scope)}};
    node["attrs"] = attributesOf(id, kernel);
    Json edges = Json::array(), inputs = Json::array(), outputs = Json::array();
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == ir::kNone) continue;
      if (Json from = edgeOf(op.inputs[i], i); !from.is_null()) edges.push_back(std::move(from));
      Attributes facts = tensor(op.inputs[i]);
      if (operators_.isConstant(op.inputs[i])) facts.add("constant", "yes");
      inputs.push_back(metadata(fmt::format("{}", i), std::move(facts)));
    }
    if (begins(id)) {
      const Owner& owner = owners_.at(op.graph);
      edges.push_back(edge(owner.id, owner.output, fmt::format("{}", op.inputs.size())));
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      if (op.outputs[i] != ir::kNone) outputs.push_back(result(op.outputs[i], i));
    for (const ir::Region& region : op.regions) {
      Attributes facts;
      facts.add("__tensor_tag", region.name);
      outputs.push_back(metadata("region " + printable(region.name), std::move(facts)));
    }
    node["incomingEdges"] = std::move(edges);
    node["inputsMetadata"] = std::move(inputs);
    node["outputsMetadata"] = std::move(outputs);
    if (Json style = styleOf(id, kernel); !style.empty()) node["style"] = std::move(style);
    out_.line(node);
    for (const ir::Region& region : op.regions) addBody(id, region, kernel);
  }

  /// Whether an operator of a body needs nothing of the body, and so follows the operator that has it.
  bool begins(ir::OpId id) const {
    const ir::Op& op = module_.ops[id];
    return op.graph != ir::kMainGraph && operators_.predecessors(id).empty() &&
           std::ranges::none_of(op.inputs, [&](ir::ValueId input) {
             return input != ir::kNone && module_.values[input].graph == op.graph && inputs_.contains(input);
           });
  }

  /// The group, inputs and outputs of a body; its operators come later.
  void addBody(ir::OpId op, const ir::Region& region, const KernelRow* kernel) {
    const std::string space = names_.space(region.graph, module_.ops[op].scope);
    const Owner& owner =
        owners_.emplace(region.graph, Owner{names_.id(op), "region " + printable(region.name)}).first->second;
    Json facts = Json::object();
    facts["body of"] = printable(module_.displayName(op));
    if (kernel && kernel->tripCount) facts["trips"] = fmt::format("{}", *kernel->tripCount);
    groups_[space] = std::move(facts);
    for (const ir::ValueId input : module_.graphs[region.graph].inputs) addInput(input, &owner, space);
    addOutputs(region.graph, &owner, space);
  }

  Json styleOf(ir::OpId id, const KernelRow* kernel) const {
    Json style = Json::object();
    if (kernel == nullptr) return style;
    // As in node data for anchors, which covers this colour.
    if (hasTime(*kernel) && run_.cover->kernels[kernel->id].anchor() == id) {
      const std::string color = scale_.color(kernel->shares->ratio);
      style["backgroundColor"] = color;
      style["textColor"] = drawing::textColorOn(color);
    }
    if (kernel->critical.value_or(false)) {
      style["borderColor"] = kPathColor;
      style["borderWidth"] = kPathWidth;
    }
    return style;
  }

  Json attributesOf(ir::OpId id, const KernelRow* kernel) const {
    const ir::Op& op = module_.ops[id];
    const ir::NodeReport& node = run_.nodes[id];
    Attributes facts;
    facts.add("node", module_.displayName(id));
    if (kernel) addKernel(id, *kernel, facts);
    if (node.kernels.size() > 1) {
      std::vector<std::string> others;
      for (size_t i = 1; i < node.kernels.size(); ++i) others.push_back(titleOf(run_.kernels[node.kernels[i]]));
      facts.add("also computed in", fmt::format("{}", fmt::join(others, ", ")));
    }
    if (run_.timeline || ir::isKnownWithoutTrace(node.state)) facts.add("state", ir::name(node.state));
    facts.add("module", module_.scopePath(op.scope));
    std::vector<std::string> absorbed;
    for (const ir::OpId one : op.absorbed) absorbed.push_back(module_.displayName(one));
    facts.add("absorbed", fmt::format("{}", fmt::join(absorbed, ", ")));
    // The viewer shows inputs with an edge only. No fact above begins as these.
    for (size_t i = 0; i < op.inputs.size(); ++i)
      if (op.inputs[i] != ir::kNone && operators_.isConstant(op.inputs[i]))
        facts.add(fmt::format("input {}", i), describe(op.inputs[i]));
    for (const ir::Attribute& attribute : op.attributes)
      facts.add("attribute " + printable(attribute.name), describeAttribute(attribute.value));
    return facts.take();
  }

  static std::string titleOf(const KernelRow& kernel) { return fmt::format("{} {}", kernel.id.index(), kernel.label); }

  void addKernel(ir::OpId id, const KernelRow& row, Attributes& facts) const {
    const ir::Kernel& kernel = run_.cover->kernels[row.id];
    facts.add("kernel", titleOf(row));
    facts.add("rule", row.rule.value_or(""));
    facts.add("category", row.category);
    if (hasTime(row)) {
      facts.add("kernel time", us(row.time->reportedNs));
      facts.add("kernel share", formatPercent(row.shares->ratio) + " of busy");
      facts.add("kernel limit", formatSpeedup(row.shares->maxSpeedup));
      facts.add("kernel events", fmt::format("{}", *row.events));
      for (const auto& [key, value] : predictedTimes(row)) facts.add(key, value);
    }
    facts.add("missed because", row.missReason);
    if (row.critical) facts.add("critical", *row.critical ? "yes" : "no");
    if (row.slackNs) facts.add("slack", us(*row.slackNs));
    if (row.tripCount) facts.add("trips", fmt::format("{}", *row.tripCount));
    // Each node leads to the anchor, and the anchor to all: a list at each would be quadratic.
    std::vector<std::string> others;
    if (kernel.anchor() != id)
      others.push_back(names_.id(kernel.anchor()));
    else
      for (const ir::OpId op : kernel.ops)
        if (op != id) others.push_back(names_.id(op));
    facts.addNodes(kernel.anchor() == id ? "other nodes" : "first node", others);
  }

  std::vector<std::pair<std::string, std::string>> predictedTimes(const KernelRow& row) const {
    std::vector<std::pair<std::string, std::string>> predicted;
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id))
      if (const auto ns = predictedKernelNs(run_, prediction, row.id))
        predicted.emplace_back(printable(fmt::format("if `{}`", prediction.scenario)), "kernel time " + us(*ns));
    return predicted;
  }

  static std::string us(int64_t ns) { return fmt::format("{} us", formatUs(ns)); }

  // Groups and overlays.

  void addGroups() {
    std::map<std::string, const ScopeRow*> rows;
    for (const ScopeRow& row : run_.byScope) rows.emplace(row.inclusive.name, &row);
    IdVector<ir::ScopeId, bool> used(module_.scopes.size());
    for (const ir::OpId op : operators_.order())
      if (operators_.graph(op) == ir::kMainGraph)
        for (ir::ScopeId at = module_.ops[op].scope; at != ir::kRootScope && !used[at]; at = module_.scopes[at].parent)
          used[at] = true;
    for (const ir::ScopeId scope : module_.scopes.ids()) {
      if (!used[scope]) continue;
      const std::string path = module_.scopePath(scope);
      Json facts = Json::object();
      facts["module"] = printable(path);
      if (const auto name = module_.text(module_.scopes[scope].moduleClass); !name.empty())
        facts["class"] = printable(name);
      if (const auto row = rows.find(path); row != rows.end()) addTimes(row->second->inclusive, facts);
      groups_.emplace(names_.space(ir::kMainGraph, scope), std::move(facts));
    }
    groups_[""] = factsOfRun();
    out_.beginObject("groupNodeAttributes");
    for (const auto& [space, facts] : groups_) {
      out_.key(space);
      out_.line(facts);
    }
    out_.end();
  }

  void addTimes(const AggregateRow& row, Json& facts) const {
    facts["module kernels"] = fmt::format("{}", row.kernels);
    facts["module events"] = fmt::format("{}", run_.perIteration(row.events));
    facts["module time"] = us(row.time.reportedNs);
    if (run_.undisturbedBusyNs <= 0) return;
    facts["module share"] = formatPercent(row.shares.ratio) + " of busy";
    facts["module limit"] = formatSpeedup(row.shares.maxSpeedup);
  }

  /// What the viewer shows while nothing is selected.
  Json factsOfRun() const {
    Json facts = Json::object();
    facts["model"] = printable(module_.modelName);
    if (run_.timeline == nullptr) return facts;
    facts["run"] = printable(run_.label);
    facts["trace"] = printable(run_.timeline->file);
    if (run_.verdict) facts["verdict"] = run_.verdict->whole();
    if (const std::string caveat = run_.caveatBesideVerdict(); !caveat.empty()) facts["caution"] = caveat;
    if (!run_.totals) return facts;
    facts["busy"] = us(run_.totals->busy.reportedNs);
    if (run_.showsUndisturbed()) facts["undisturbed"] = us(*run_.totals->undisturbedNs) + ": shares of busy are of it";
    if (run_.totals->wall) facts["wall"] = us(run_.totals->wall->reportedNs);
    if (run_.totals->window) facts["window"] = us(run_.totals->window->reportedNs);
    facts["device"] = us(run_.totals->device.reportedNs);
    facts["bound"] = us(run_.totals->bound.reportedNs);
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id)) {
      const auto add = [&](std::string_view what, int64_t totalNs) {
        facts[printable(fmt::format("{} if `{}`", what, prediction.scenario))] =
            run_.predictedUs(static_cast<double>(totalNs)) + " us";
      };
      add("busy", prediction.times.busyNs);
      if (prediction.times.wallNs) add("wall", *prediction.times.wallNs);
    }
    return facts;
  }

  void addPaths() {
    const auto* path = run_.cover->facets.get<ir::CriticalPathFacet>();
    if (path == nullptr || path->path.size() < 2) return;
    out_.beginObject("tasksData");
    out_.beginArray("edgeOverlaysDataListLeftPane");
    out_.beginObject();
    out_.member("type", "edge_overlays");
    out_.member("name", "critical path");
    out_.member("graphName", names_.graphId());
    out_.beginArray("overlays");
    addPath(fmt::format("measured, {} us", formatUs(run_.perIteration(path->durationNs))), path->path, kPathColor);
    for (const Prediction& prediction : predictionsOf(*run_.analyses, run_.id))
      addPath(printable(fmt::format("if `{}`, {} us", prediction.scenario, run_.predictedUs(prediction.pathNs))),
              prediction.path, kPredictedPathColor);
    out_.end();
    out_.end();
    out_.end();
    out_.end();
  }

  void addPath(const std::string& name, const std::vector<ir::KernelId>& path, std::string_view color) {
    out_.beginObject();
    out_.member("name", name);
    out_.member("edgeColor", color);
    out_.member("edgeWidth", kPathWidth);
    out_.beginArray("edges");
    for (size_t i = 1; i < path.size(); ++i)
      out_.line({{"sourceNodeId", names_.id(run_.cover->kernels[path[i - 1]].anchor())},
                 {"targetNodeId", names_.id(run_.cover->kernels[path[i]].anchor())}});
    out_.end();
    out_.end();
  }

  const ir::Module& module_;
  const RunReport& run_;
  const ir::OperatorGraph& operators_;
  ModelExplorerNames names_;
  const drawing::ColorScale scale_;
  /// Nodes of inputs of graphs.
  std::map<ir::ValueId, std::string> inputs_;
  std::map<ir::GraphId, Owner> owners_;
  /// By namespace.
  std::map<std::string, Json> groups_;
  std::string text_;
  JsonStream out_;
};

}  // namespace

constinit const Output kModelExplorerOutput{
    .name = "model-explorer",
    .summary = "the operators after `simplify` with what is known of their kernels, for Model Explorer",
    .needs = ir::Facet::Fused,
    .write = [](const OutputContext& context, ir::CoverId run) { return ModelExplorerGraph(context, run).write(); }};

}  // namespace amdahlc
