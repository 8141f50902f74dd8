#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/operator_graph.h"
#include "report/outputs/model_diagram.h"
#include "report/outputs/output_options.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/sort_unique.h"

namespace amdahlc {
namespace {

using drawing::Diagram;
using drawing::NodeKind;

/// What both pictures of operators share.
class OperatorDiagram : protected ModelDiagram {
 protected:
  OperatorDiagram(const ir::Module& module, bool docStrings) : ModelDiagram(module, docStrings) {
    diagram_.header.push_back(printable(module.modelName));
  }

  size_t addOperator(ir::OpId id) {
    const ir::Op& op = module_.ops[id];
    drawing::Node node;
    node.name = printable(module_.text(op.type));
    node.cluster = clusterOf(op.graph, op.scope);
    if (const auto output = std::ranges::find_if(op.outputs, [](auto v) { return v != ir::kNone; });
        output != op.outputs.end())
      node.detail = typeName(*output);
    node.signature = node.name + " " + node.detail;
    const auto fact = [&](const char* key, const std::string& value) {
      if (!value.empty()) node.facts.emplace_back(key, printable(value));
    };
    fact("node", module_.displayName(id));
    fact("domain", std::string(module_.text(op.domain)));
    fact("scope", module_.scopePath(op.scope));
    for (const ir::ValueId input : op.inputs)
      if (input != ir::kNone) fact("input", valueName(input) + " " + typeName(input));
    for (const ir::ValueId output : op.outputs)
      if (output != ir::kNone) fact("output", valueName(output) + " " + typeName(output));
    for (const ir::OpId absorbed : op.absorbed) fact("absorbed", module_.displayName(absorbed));
    if (op.state == ir::OpState::Absorbed) fact("absorbed into", module_.displayName(op.absorbedInto));
    if (op.state == ir::OpState::Folded) fact("removed", "its result is known before the run, or nothing needs it");
    if (docStrings_) fact("doc string", std::string(module_.text(op.docString)));
    if (op.state != ir::OpState::Live) node.kind = NodeKind::NoDeviceWork;
    const size_t index = addNode(std::move(node));
    for (const ir::Region& region : op.regions)
      openBody(region.graph, op.scope, index,
               fmt::format("{} of {}", printable(region.name), printable(module_.displayName(id))));
    return index;
  }
};

class SimplifiedDiagram : OperatorDiagram {
 public:
  SimplifiedDiagram(const ir::Module& module, const ir::OperatorGraph& operators, bool docStrings)
      : OperatorDiagram(module, docStrings), operators_(operators), nodeOf_(module.ops.size(), 0) {}

  Diagram build() {
    diagram_.header.push_back(
        fmt::format("{} of {} after `simplify`", operators_.liveCount(), plural(module_.ops.size(), "operator")));
    addInputs();
    for (const ir::OpId op : operators_.order()) nodeOf_[op] = addOperator(op);
    for (const ir::OpId op : operators_.order()) {
      std::vector<ir::OpId> producers(operators_.predecessors(op).begin(), operators_.predecessors(op).end());
      sortUnique(producers);
      for (const ir::OpId producer : producers) diagram_.edges.push_back({nodeOf_[producer], nodeOf_[op], {}});
    }
    addOutputs();
    return std::move(diagram_);
  }

 private:
  void addOutputs() {
    for (const ir::ValueId input : module_.graphs[ir::kMainGraph].inputs) {
      std::vector<ir::OpId> users;
      for (const auto& use : operators_.uses(input))
        if (const ir::OpId user = operators_.ancestorIn(ir::kMainGraph, use.op); user != ir::kNone)
          users.push_back(user);
      sortUnique(users);
      if (const auto node = inputs_.find(input); node != inputs_.end())
        for (const ir::OpId user : users) diagram_.edges.push_back({node->second, nodeOf_[user], {}});
    }
    for (const ir::ValueId output : module_.graphs[ir::kMainGraph].outputs)
      if (const ir::OpId producer = operators_.producer(output); producer != ir::kNone)
        diagram_.edges.push_back({nodeOf_[producer], addTerminal(output, "output"), {}});
  }

  const ir::OperatorGraph& operators_;
  IdVector<ir::OpId, size_t> nodeOf_;
};

class FullDiagram : OperatorDiagram {
 public:
  FullDiagram(const ir::Module& module, bool docStrings) : OperatorDiagram(module, docStrings) {}

  Diagram build() {
    diagram_.header.push_back(plural(module_.ops.size(), "operator"));
    addInputs();
    nodeOf_ = inputs_;
    // Nodes of the model are in a topological order, and a body after the operator that has it.
    for (const ir::OpId op : module_.ops.ids()) addWithTensors(op);
    for (const ir::ValueId output : module_.graphs[ir::kMainGraph].outputs)
      if (const auto tensor = nodeOf_.find(output); tensor != nodeOf_.end())
        diagram_.nodes[tensor->second].facts.emplace_back("output of the model", "yes");
    return std::move(diagram_);
  }

 private:
  void addWithTensors(ir::OpId id) {
    const ir::Op& op = module_.ops[id];
    const size_t cluster = clusterOf(op.graph, op.scope);
    std::vector<size_t> operands;
    for (const ir::ValueId input : op.inputs)
      if (input != ir::kNone) operands.push_back(tensor(input, cluster));
    constants_.clear();
    const size_t node = addOperator(id);
    sortUnique(operands);
    for (const size_t operand : operands) diagram_.edges.push_back({operand, node, {}});
    for (const ir::ValueId output : op.outputs)
      if (output != ir::kNone && module_.values.contains(output))
        diagram_.edges.push_back({node, tensor(output, cluster), {}});
  }

  /// The node of a value, in the module of the first operator that names it.
  size_t tensor(ir::ValueId id, size_t cluster) {
    if (const auto known = nodeOf_.find(id); known != nodeOf_.end()) return known->second;
    const bool isConstant = module_.values[id].kind == ir::Value::Kind::Constant;
    // A constant is drawn at each of its users, which may be far from each other.
    if (const auto known = constants_.find(id); known != constants_.end()) return known->second;
    const size_t node = addNode({.name = valueName(id),
                                 .detail = typeName(id),
                                 .signature = (isConstant ? "constant " : "tensor ") + typeName(id),
                                 .kind = NodeKind::Tensor,
                                 .cluster = cluster,
                                 .facts = {{isConstant ? "constant" : "tensor", typeName(id)}}});
    (isConstant ? constants_ : nodeOf_).emplace(id, node);
    return node;
  }

  std::map<ir::ValueId, size_t> nodeOf_;
  /// Of the operator that is being added.
  std::map<ir::ValueId, size_t> constants_;
};

}  // namespace

constinit const Output kSvgSimpleOutput{.name = "svg-simple",
                                        .summary = "a picture of the operators after `simplify`",
                                        .write =
                                            [](const OutputContext& context) {
                                              return SimplifiedDiagram(context.module,
                                                                       context.analyses.get<ir::OperatorGraph>(),
                                                                       context.picture.docStrings)
                                                  .build();
                                            },
                                        .options = kOptionsOfPictures};
constinit const Output kSvgFullOutput{
    .name = "svg-full",
    .summary = "a picture of all operators of the model, with the tensors between them",
    .write =
        [](const OutputContext& context) { return FullDiagram(context.module, context.picture.docStrings).build(); },
    .options = kOptionsOfPictures};

}  // namespace amdahlc
