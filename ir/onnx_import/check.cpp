#include "ir/onnx_import/steps.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <onnx/defs/schema.h>

#include "ir/domain.h"
#include "ir/onnx_import/schemas.h"
#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/onnx_schemas/registry.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/name_table.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::ir::onnx_import {

namespace {

bool isOnnxDomain(const std::string& domain) { return onnx_schemas::newestOpset(domain) != 0; }

std::string range(int least, int most) {
  if (least == most) return std::to_string(least);
  return most == std::numeric_limits<int>::max() ? fmt::format("at least {}", least)
                                                 : fmt::format("{} to {}", least, most);
}

/// The first opset with the operator; 0 if there is none.
int64_t firstOpset(const std::string& type, const std::string& domain) {
  const auto schema = onnx_schemas::operatorSchema(domain, type);
  return schema && !schema->versions.empty() ? schema->versions.front() : 0;
}

class Checker {
 public:
  Checker(const onnx::ModelProto& model, const std::string& file, DataProblems& problems, DiagnosticEngine& diagnostics)
      : file_(file), opsets_(importedOpsets(model)), problems_(problems), diagnostics_(diagnostics) {
    for (const auto& function : model.functions()) functions_.emplace(ownDomain(function.domain()), function.name());
  }

  void graph(const onnx::GraphProto& graph) {
    const uint32_t outer = std::exchange(current_, ++graphs_);
    const size_t firstHidden = hidden_.size();
    const std::string outerGraph = std::exchange(graphName_, graph.name());
    for (const auto& input : graph.input())
      if (input.name().empty())
        error("", "", "an input of the graph has no name");
      else if (!define(input.name()))
        error("", input.name(), fmt::format("the graph has two inputs named `{}`", input.name()));
    std::unordered_set<std::string_view> initializers;
    const auto initializer = [&](const std::string& name) {
      if (name.empty()) return error("", "", "an initializer has no name");
      define(name);  // it may be the default of an input
      if (!initializers.insert(name).second)
        error("", name, fmt::format("the graph has two initializers named `{}`", name));
    };
    for (const auto& tensor : graph.initializer()) initializer(tensor.name());
    for (const auto& sparse : graph.sparse_initializer()) initializer(sparse.values().name());

    for (const auto& node : graph.node()) {
      const size_t index = nodeCount_++;
      const std::string label = node.name().empty() ? fmt::format("{}#{}", node.op_type(), index) : node.name();
      operands(node, label, graph);
      oneOperator(node, label);
      attributes(node, label);
      for (const auto& output : node.output())
        if (!output.empty() && !define(output))
          error(label, output, fmt::format("`{}` is defined a second time", output));
    }
    for (const auto& output : graph.output())
      if (!isDefined(output.name()))
        error("", output.name(), fmt::format("graph output `{}` is not defined by any node", output.name()));
    graphName_ = outerGraph;
    for (; hidden_.size() > firstHidden; hidden_.pop_back()) definedIn_[hidden_.back().first] = hidden_.back().second;
    current_ = outer;
  }

  size_t errors() const { return errors_; }

 private:
  /// False where the graph defines the name already.
  bool define(std::string_view name) {
    const auto [number, isNew] = names_.add(name);
    if (isNew) definedIn_.push_back(kNowhere);
    if (definedIn_[number] == current_) return false;
    hidden_.emplace_back(number, std::exchange(definedIn_[number], current_));
    return true;
  }
  bool isDefined(std::string_view name) const {
    const uint32_t number = names_.find(name);
    return number != NameTable::kUnknown && definedIn_[number] != kNowhere;
  }

  void error(const std::string& node, const std::string& value, const std::string& message) {
    if (errors_++ < limits::kModelErrors)
      diagnostics_.error(DiagId::OnnxInvalid,
                         OnnxLocation{file_, printable(graphName_), printable(node), printable(value)},
                         printable(message));
  }

  /// The node of `graph` that computes the value; null where none does. Searches all of them.
  static const onnx::NodeProto* producerOf(std::string_view value, const onnx::GraphProto& graph) {
    const auto computes = [&](const onnx::NodeProto& node) {
      return std::ranges::find(node.output(), value) != node.output().end();
    };
    const auto found = std::ranges::find_if(graph.node(), computes);
    return found == graph.node().end() ? nullptr : &*found;
  }

  void operands(const onnx::NodeProto& node, const std::string& label, const onnx::GraphProto& graph) {
    for (const auto& input : node.input()) {
      if (input.empty() || isDefined(input)) continue;
      // Who defines a name later says whether an unknown name is out of order or nowhere. Only shown faults need it.
      const onnx::NodeProto* later = errors_ < limits::kModelErrors ? producerOf(input, graph) : nullptr;
      if (later != nullptr)
        error(label, input,
              fmt::format("`{}` is used before the `{}` that defines it; ONNX nodes are in topological order", input,
                          later->op_type()));
      else
        error(label, input, fmt::format("nothing defines the operand `{}`", input));
    }
  }

  void oneOperator(const onnx::NodeProto& node, const std::string& label) {
    if (node.op_type().empty()) return error(label, "", "a node has no operator type");
    const std::string domain(ownDomain(node.domain()));
    if (functions_.contains({domain, node.op_type()})) return;
    const auto opset = opsets_.find(domain);
    if (!isOnnxDomain(domain)) {
      if (opset == opsets_.end())
        problems_.add("domain-not-imported", 1, "nodes of a domain that the model does not import");
      return;
    }
    if (opset == opsets_.end())
      return error(label, "",
                   fmt::format("`{}` is of the domain `{}`, whose opset the model does not import", node.op_type(),
                               describeDomain(domain)));
    if (domain.empty() && isContribOfOnnxDomain(node.op_type())) return;
    const auto version = static_cast<int>(std::min<int64_t>(opset->second, std::numeric_limits<int>::max()));
    const auto* schema = schemaOf(node, domain, version);
    if (schema == nullptr) return unknownOperator(node, label, domain, opset->second);
    if (schema->Deprecated()) {
      problems_.add("deprecated-operator", 1, "nodes whose operator is deprecated in the imported opset");
      return;
    }
    if (node.input_size() < schema->min_input() || node.input_size() > schema->max_input())
      return error(label, "",
                   fmt::format("`{}` has {}, not {}", node.op_type(), plural(node.input_size(), "input"),
                               range(schema->min_input(), schema->max_input())));
    if (node.output_size() < schema->min_output() || node.output_size() > schema->max_output())
      return error(label, "",
                   fmt::format("`{}` has {}, not {}", node.op_type(), plural(node.output_size(), "output"),
                               range(schema->min_output(), schema->max_output())));
    callLibrary([&] { schema->Verify(node); }, [&](const char* what) { error(label, "", libraryMessage(what)); });
  }

  /// What the registry has, asked once for each type of operator: it copies strings and looks them up several times.
  const onnx::OpSchema* schemaOf(const onnx::NodeProto& node, const std::string& domain, int version) {
    const auto [number, isNew] = types_.add(node.op_type());
    if (isNew) schemas_.emplace_back();
    for (const auto& [known, schema] : schemas_[number])
      if (known == domain) return schema;
    const auto* schema = onnx_schemas::findSchema(domain, node.op_type(), version);
    schemas_[number].emplace_back(domain, schema);
    return schema;
  }

  void unknownOperator(const onnx::NodeProto& node, const std::string& label, const std::string& domain,
                       int64_t opset) {
    if (opset > onnx_schemas::newestOpset(domain)) {
      problems_.add("newer-operator", 1,
                    "nodes of an operator and an opset that are newer than the ONNX library of this build");
      return;
    }
    // What the nearest name is takes a look at all names.
    if (errors_ >= limits::kModelErrors) return error(label, "", "");
    const std::string_view shown = describeDomain(domain);
    if (const int64_t later = firstOpset(node.op_type(), domain); later > opset)
      return error(
          label, "",
          fmt::format("`{}` is not in opset {} of `{}`; it came with opset {}", node.op_type(), opset, shown, later));
    std::vector<std::string> candidates;
    for (const auto& [where, type] : onnx_schemas::operatorNames())
      if (where == domain) candidates.push_back(type);
    error(label, "",
          fmt::format("`{}` is not an operator of `{}` in opset {}{}", node.op_type(), shown, opset,
                      didYouMean(node.op_type(), candidates)));
  }

  void attributes(const onnx::NodeProto& node, const std::string& label) {
    std::set<std::string_view> names;
    for (const auto& attribute : node.attribute()) {
      if (!names.insert(attribute.name()).second)
        error(label, "", fmt::format("attribute `{}` occurs twice", attribute.name()));
      if (attribute.has_g()) graph(attribute.g());
      for (const auto& nested : attribute.graphs()) graph(nested);
    }
  }

  const std::string& file_;
  const std::map<std::string, int64_t> opsets_;
  DataProblems& problems_;
  DiagnosticEngine& diagnostics_;
  std::set<std::pair<std::string, std::string>> functions_;
  /// Of values.
  NameTable names_;
  /// By name: the innermost open graph that defines it.
  std::vector<uint32_t> definedIn_;
  /// What `definedIn_` was of the names that the open graphs define, and is again when they are closed.
  std::vector<std::pair<uint32_t, uint32_t>> hidden_;
  /// Graphs are numbered from 1 as they are opened.
  static constexpr uint32_t kNowhere = 0;
  uint32_t graphs_ = 0;
  uint32_t current_ = kNowhere;
  /// Types of operators, and the schema of each in each domain (one or two).
  NameTable types_;
  std::vector<std::vector<std::pair<std::string, const onnx::OpSchema*>>> schemas_;
  std::string graphName_;
  size_t nodeCount_ = 0;
  size_t errors_ = 0;
};

}  // namespace

std::map<std::string, int64_t> importedOpsets(const onnx::ModelProto& model) {
  std::map<std::string, int64_t> opsets;
  for (const auto& opset : model.opset_import()) opsets[std::string(ownDomain(opset.domain()))] = opset.version();
  // Before IR version 3 there was one opset.
  if (opsets.empty() && model.ir_version() < 3) opsets[""] = 1;
  return opsets;
}

bool checkModel(const onnx::ModelProto& model, const std::string& file, DataProblems& problems,
                DiagnosticEngine& diagnostics) {
  Checker checker(model, file, problems, diagnostics);
  checker.graph(model.graph());
  if (checker.errors() > limits::kModelErrors)
    diagnostics.error(
        DiagId::OnnxInvalid, FileLocation{file},
        fmt::format("{} further errors of the graph are not shown", checker.errors() - limits::kModelErrors));
  return checker.errors() == 0;
}

}  // namespace amdahlc::ir::onnx_import
