#include "ir/onnx_import/steps.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/domain.h"
#include "ir/onnx_import/scope.h"
#include "ir/onnx_schemas/proto_values.h"

namespace amdahlc::ir::onnx_import {

using namespace onnx_schemas;

namespace {

/// What a name means in the graphs that were read so far. No two graphs that enclose one another define the same name,
/// so that the last definition counts.
struct Meaning {
  ValueId value = kNone;
  /// The graph that defines the value.
  GraphId definedIn = kNone;
  /// What `declaredIn` declares.
  const onnx::TypeProto* type = nullptr;
  GraphId declaredIn = kNone;
};

class Builder {
 public:
  Builder(const onnx::ModelProto& model, const GraphConstants& constants, Module& module)
      : constants_(constants), sources_(model, constants), module_(module) {}

  /// Values in order of definition: inputs, constants, then each op's results followed by what its regions define.
  GraphId graph(const onnx::GraphProto& proto, OpId parent) {
    const auto id = module_.graphs.nextId();
    module_.graphs.emplace_back();
    module_.graphs[id].name = intern(proto.name());
    module_.graphs[id].parent = parent;
    module_.graphs[id].order.reserve(static_cast<size_t>(proto.node_size()));
    declareTypes(proto, id);
    const auto& constants = constants_.at(&proto);

    std::unordered_set<std::string_view> constantNames;
    // In the main graph, an initializer that is also an input is a constant that a caller may override; here no caller
    // does. In a body, inputs are positional.
    if (parent == kNone)
      for (const auto& constant : constants) constantNames.insert(constant.name);
    for (const auto& input : proto.input()) {
      if (constantNames.contains(input.name())) continue;
      const ValueId value = define(intern(input.name()), Value::Kind::Input, id);
      module_.graphs[id].inputs.push_back(value);
    }
    for (const auto& constant : constants) {
      const Symbol name = intern(constant.name);
      if (meaning(name).definedIn == id) continue;
      Value& value = module_.values[define(name, Value::Kind::Constant, id)];
      value.type = constant.constant.type;
      value.byteSize = constant.byteSize;
      value.constant = constant.constant;
    }
    for (const auto& node : proto.node()) this->node(node, id);
    for (const auto& output : proto.output()) {
      const ValueId value = find(output.name());
      module_.graphs[id].outputs.push_back(value);
    }
    return id;
  }

 private:
  Symbol intern(std::string_view text) { return module_.strings.intern(text); }

  Meaning& meaning(Symbol name) {
    if (name.index >= meanings_.size()) meanings_.resize(std::max<size_t>(name.index + 1, 2 * meanings_.size()));
    return meanings_[name.index];
  }

  void declareTypes(const onnx::GraphProto& proto, GraphId graph) {
    const auto declare = [&](const onnx::ValueInfoProto& info) {
      if (!info.has_type()) return;
      Meaning& known = meaning(intern(info.name()));
      if (known.declaredIn == graph) return;
      known.type = &info.type();
      known.declaredIn = graph;
    };
    for (const auto& info : proto.input()) declare(info);
    for (const auto& info : proto.output()) declare(info);
    for (const auto& info : proto.value_info()) declare(info);
  }

  ValueId define(Symbol name, Value::Kind kind, GraphId graph) {
    const auto id = module_.values.nextId();
    Value& value = module_.values.emplace_back();
    value.name = name;
    value.kind = kind;
    value.graph = graph;
    Meaning& known = meaning(name);
    if (known.declaredIn == graph) {
      value.type = onnx_import::type(*known.type);
      value.byteSize = value.type.byteSize();
    }
    if (known.definedIn != graph) known.value = id;
    known.definedIn = graph;
    return id;
  }

  ValueId find(std::string_view name) {
    const auto known = module_.strings.lookUp(name);
    return known ? meaning(*known).value : ValueId(kNone);
  }

  void node(const onnx::NodeProto& proto, GraphId graph) {
    const auto id = module_.ops.nextId();
    module_.graphs[graph].order.push_back(id);
    Op& op = module_.ops.emplace_back();
    op.type = intern(proto.op_type());
    op.domain = intern(ownDomain(proto.domain()));
    op.name = intern(proto.name());
    op.docString = intern(proto.doc_string());
    op.graph = graph;
    const NodeSource source = sources_.resolve(proto);
    op.scope = module_.addScope(source.scope);
    for (const auto& [path, moduleClass] : source.modules) {
      const ScopeId scope = module_.addScope(path);
      if (module_.scopes[scope].moduleClass.empty()) module_.scopes.setClass(scope, intern(moduleClass));
    }
    op.sourceCall = intern(source.call);
    op.sourceTarget = intern(source.target);
    for (const auto& entry : proto.metadata_props())
      if (!isSourceMetadata(entry.key())) op.metadata.emplace_back(intern(entry.key()), intern(entry.value()));
    op.inputs.reserve(static_cast<size_t>(proto.input_size()));
    for (const auto& input : proto.input()) op.inputs.push_back(input.empty() ? kNone : find(input));
    op.outputs.reserve(static_cast<size_t>(proto.output_size()));
    for (const auto& output : proto.output()) {
      const auto index = static_cast<uint32_t>(op.outputs.size());
      op.outputs.push_back(output.empty() ? kNone : define(intern(output), Value::Kind::Result, graph));
      if (output.empty()) continue;
      module_.values.back().producer = id;
      module_.values.back().producerIndex = index;
    }
    for (const auto& attribute : proto.attribute())
      if (auto value = attributeValue(attribute)) op.attributes.push_back({attribute.name(), std::move(*value)});
    std::ranges::sort(op.attributes, [](const Attribute& a, const Attribute& b) { return a.name < b.name; });

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
  /// By symbol.
  std::vector<Meaning> meanings_;
};

}  // namespace

Module buildModule(const onnx::ModelProto& model, const GraphConstants& constants, const std::string& modelName) {
  Module module;
  module.modelName = modelName;
  module.opsets = importedOpsets(model);
  Builder builder(model, constants, module);
  builder.graph(model.graph(), kNone);
  return module;
}

}  // namespace amdahlc::ir::onnx_import
