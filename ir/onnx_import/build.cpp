#include "ir/onnx_import/build.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/onnx_import/check.h"
#include "ir/onnx_import/proto_values.h"
#include "ir/onnx_import/scope.h"

namespace amdahlc::ir::onnx_import {

namespace {

class Builder {
 public:
  Builder(const onnx::ModelProto& model, const GraphConstants& constants, Module& module)
      : constants_(constants), sources_(model), module_(module) {}

  /// Values in order of definition: inputs, constants, then each op's results followed by what its regions define.
  GraphId graph(const onnx::GraphProto& proto, OpId parent) {
    const auto id = module_.graphs.nextId();
    module_.graphs.emplace_back();
    module_.graphs[id].name = intern(proto.name());
    module_.graphs[id].parent = parent;
    Scope& scope = openScope(proto);
    const auto& constants = constants_.at(&proto);

    std::unordered_set<std::string_view> constantNames;
    // In the main graph, an initializer that is also an input is a constant that a caller may override; here no caller
    // does. In a body, inputs are positional.
    if (parent == kNone)
      for (const auto& constant : constants) constantNames.insert(constant.name);
    for (const auto& input : proto.input()) {
      if (constantNames.contains(input.name())) continue;
      const ValueId value = define(scope, input.name(), Value::Kind::Input, id);
      module_.graphs[id].inputs.push_back(value);
    }
    for (const auto& constant : constants) {
      if (scope.values.contains(constant.name)) continue;
      Value& value = module_.values[define(scope, constant.name, Value::Kind::Constant, id)];
      value.type = constant.constant.type;
      value.byteSize = constant.byteSize;
      value.constant = constant.constant;
    }
    for (const auto& node : proto.node()) this->node(node, id);
    for (const auto& output : proto.output()) {
      const ValueId value = find(output.name());
      module_.graphs[id].outputs.push_back(value);
    }
    scopes_.pop_back();
    return id;
  }

  int64_t renamed() const { return renamed_; }

 private:
  struct Scope {
    std::unordered_map<std::string_view, ValueId> values;
    /// All names that the graph defines. Names in its bodies must differ from them.
    std::unordered_set<std::string> names;
    std::unordered_map<std::string_view, const onnx::TypeProto*> types;
  };

  Symbol intern(std::string_view text) { return module_.strings.intern(text); }

  Scope& openScope(const onnx::GraphProto& proto) {
    Scope scope;
    const auto addInfo = [&](const onnx::ValueInfoProto& info) {
      if (info.has_type()) scope.types.emplace(info.name(), &info.type());
    };
    for (const auto& info : proto.input()) {
      addInfo(info);
      scope.names.insert(info.name());
    }
    for (const auto& info : proto.output()) addInfo(info);
    for (const auto& info : proto.value_info()) addInfo(info);
    for (const auto& constant : constants_.at(&proto)) scope.names.insert(constant.name);
    for (const auto& node : proto.node())
      for (const auto& output : node.output()) scope.names.insert(output);
    scopes_.push_back(std::move(scope));
    return scopes_.back();
  }

  /// The name in the module: as in the model, unless an enclosing graph defines it too.
  std::string uniqueName(const std::string& name) {
    const auto taken = [&](const std::string& candidate, bool isRename) {
      for (size_t i = 0; i + (isRename ? 0 : 1) < scopes_.size(); ++i)
        if (scopes_[i].names.contains(candidate)) return true;
      return false;
    };
    if (!taken(name, false)) return name;
    ++renamed_;
    for (int64_t number = 1;; ++number) {
      std::string candidate = fmt::format("{}@{}", name, number);
      if (taken(candidate, true)) continue;
      scopes_.back().names.insert(candidate);
      return candidate;
    }
  }

  ValueId define(Scope& scope, const std::string& name, Value::Kind kind, GraphId graph) {
    const auto id = module_.values.nextId();
    Value value;
    value.name = intern(uniqueName(name));
    value.kind = kind;
    value.graph = graph;
    if (const auto type = scope.types.find(name); type != scope.types.end()) {
      value.type = onnx_import::type(*type->second);
      value.byteSize = value.type.byteSize();
    }
    module_.values.push_back(std::move(value));
    scope.values.emplace(name, id);
    return id;
  }

  ValueId find(const std::string& name) const {
    for (size_t i = scopes_.size(); i-- > 0;)
      if (const auto found = scopes_[i].values.find(name); found != scopes_[i].values.end()) return found->second;
    return kNone;
  }

  void node(const onnx::NodeProto& proto, GraphId graph) {
    const auto id = module_.ops.nextId();
    module_.graphs[graph].order.push_back(id);
    Op op;
    op.type = intern(proto.op_type());
    op.domain = intern(normalizedDomain(proto.domain()));
    op.name = intern(proto.name());
    op.docString = intern(proto.doc_string());
    op.graph = graph;
    const NodeSource source = sources_.resolve(proto);
    op.scope = module_.addScope(source.scope);
    if (!source.moduleClass.empty() && module_.scopes[op.scope].moduleClass.empty())
      module_.scopes.setClass(op.scope, intern(source.moduleClass));
    op.sourceCall = intern(source.call);
    op.sourceTarget = intern(source.target);
    for (const auto& entry : proto.metadata_props())
      if (!isSourceMetadata(entry.key())) op.metadata.emplace_back(intern(entry.key()), intern(entry.value()));
    for (const auto& input : proto.input()) op.inputs.push_back(input.empty() ? kNone : find(input));
    for (const auto& output : proto.output()) {
      const auto index = static_cast<uint32_t>(op.outputs.size());
      op.outputs.push_back(output.empty() ? kNone : define(scopes_.back(), output, Value::Kind::Result, graph));
      if (output.empty()) continue;
      module_.values.back().producer = id;
      module_.values.back().producerIndex = index;
    }
    for (const auto& attribute : proto.attribute())
      if (auto value = attributeValue(attribute)) op.attributes.push_back({attribute.name(), std::move(*value)});
    std::sort(op.attributes.begin(), op.attributes.end(),
              [](const Attribute& a, const Attribute& b) { return a.name < b.name; });
    module_.ops.push_back(std::move(op));

    std::vector<Region> regions;
    for (const auto& attribute : proto.attribute()) {
      if (attribute.has_g()) regions.push_back({attribute.name(), this->graph(attribute.g(), id)});
      for (int i = 0; i < attribute.graphs_size(); ++i)
        regions.push_back({fmt::format("{}.{}", attribute.name(), i), this->graph(attribute.graphs(i), id)});
    }
    module_.ops[id].regions = std::move(regions);
  }

  const GraphConstants& constants_;
  const SourceResolver sources_;
  Module& module_;
  // Stable addresses: `graph` keeps a reference while bodies add scopes.
  std::deque<Scope> scopes_;
  int64_t renamed_ = 0;
};

}  // namespace

Module buildModule(const onnx::ModelProto& model, const GraphConstants& constants, const std::string& modelName) {
  Module module;
  module.modelName = modelName;
  module.opsets = importedOpsets(model);
  Builder builder(model, constants, module);
  builder.graph(model.graph(), kNone);
  if (builder.renamed() > 0)
    module.countProblem(
        "shadowed-name", builder.renamed(),
        "values of bodies that have the name of a value around them; they are written with `@` and a number");
  return module;
}

}  // namespace amdahlc::ir::onnx_import
