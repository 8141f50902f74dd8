#include "ir/onnx_export/program_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/arena.h>

#include <set>
#include <string_view>
#include <utility>

#include "ir/known_values.h"
#include "ir/onnx_import/operator_types.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/onnx_schemas/program_keys.h"
#include "ir/onnx_schemas/proto_messages.h"
#include "support/limits.h"

namespace amdahlc::ir {

namespace {

using namespace onnx_schemas;

/// The first version with metadata of nodes and values.
constexpr int64_t kIrVersion = 10;
constexpr char kDescription[] =
    "The program of a recorded run: what it called. Attributes that no trace states are not known: an operator "
    "without them need not have the default ones of its schema. A constant is an initializer where the trace states "
    "its "
    "elements, and an input otherwise.";

class ProgramWriter {
 public:
  ProgramWriter(const Module& module, onnx::ModelProto& model)
      : module_(module), model_(model), graph_(*model.mutable_graph()), schemas_(module), elements_(module) {
    for (const Value& value : module.values) types_.push_back(value.type);
  }

  void write() {
    model_.set_ir_version(kIrVersion);
    model_.set_producer_name("amdahlc");
    addMetadata(model_, kProgramKey, name(module_.frontEnd));
    addMetadata(model_, kDataEdgesKey, fmt::format("{}", module_.dataEdges));
    addMetadata(model_, kRuntimeKey, module_.target.runtime);
    addMetadata(model_, kVendorKey, module_.target.vendor);
    addMetadata(model_, kArchKey, module_.target.arch);
    addMetadata(model_, kDeviceKey, module_.target.device);
    const Graph& main = module_.graphs[kMainGraph];
    graph_.set_name(std::string(text(main.name)));
    graph_.set_doc_string(kDescription);
    for (const ScopeId scope : module_.scopes.ids())
      addMetadata(graph_, kClassKey + module_.scopePath(scope), text(module_.scopes[scope].moduleClass));
    for (const Value::Kind kind : {Value::Kind::Input, Value::Kind::Constant})
      for (const Value& value : module_.values)
        if (value.kind == kind && !hasElements(value)) addInput(value);
    for (const Value& value : module_.values)
      if (hasElements(value)) addInitializer(value);
    for (const OpId op : main.order) addNode(op);
    for (const ValueId output : main.outputs) addTyped(module_.values[output], *graph_.add_output());
    addResultTypes();
    for (const std::string& domain : domains_) {
      auto& import = *model_.add_opset_import();
      import.set_domain(domain);
      import.set_version(newestOpset(domain) == 0 ? 1 : module_.opset(domain));
    }
  }

 private:
  std::string_view text(Symbol symbol) const { return module_.text(symbol); }

  /// Nothing for an empty value.
  template <typename Message>
  static void addMetadata(Message& message, std::string key, std::string_view value) {
    if (value.empty()) return;
    auto& entry = *message.add_metadata_props();
    entry.set_key(std::move(key));
    entry.set_value(std::string(value));
  }

  /// An input or an output, which needs a type and, if that is a tensor, a shape.
  void addTyped(const Value& value, onnx::ValueInfoProto& info) const {
    info.set_name(std::string(text(value.name)));
    if (value.type.ranked) {
      *info.mutable_type() = messageOf(value.type);
    } else {
      info.mutable_type()->mutable_opaque_type()->set_domain(kTypeDomain);
      info.mutable_type()->mutable_opaque_type()->set_name(describe(value.type));
    }
  }

  static bool hasElements(const Value& value) {
    return value.kind == Value::Kind::Constant && value.constant && (value.constant->ints || value.constant->floats);
  }

  void addInitializer(const Value& value) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor = messageOf(*value.constant);
    tensor.set_name(std::string(text(value.name)));
  }

  void addInput(const Value& value) {
    onnx::ValueInfoProto& info = *graph_.add_input();
    addTyped(value, info);
    if (value.kind == Value::Kind::Constant) addMetadata(info, kConstantKey, "yes");
  }

  void addResultTypes() {
    IdVector<ValueId, bool> isOutput(module_.values.size(), false);
    for (const ValueId output : module_.graphs[kMainGraph].outputs) isOutput[output] = true;
    for (const OpId op : module_.graphs[kMainGraph].order) {
      for (const ValueId id : module_.ops[op].outputs) {
        if (id.isNone() || isOutput[id] || types_[id].kind == Type::Kind::Unknown) continue;
        onnx::ValueInfoProto& info = *graph_.add_value_info();
        info.set_name(std::string(nameOf(id)));
        *info.mutable_type() = messageOf(types_[id]);
      }
    }
  }

  std::string domainOf(const Op& op) const {
    std::string domain(text(op.domain));
    if (newestOpset(domain) == 0 || schemas_.isStandard(op, types_, elements_)) return domain;
    return domain.empty() ? kLoweredDomain : fmt::format("{}.{}", kLoweredDomain, domain);
  }

  void addNode(OpId id) {
    const Op& op = module_.ops[id];
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(std::string(text(op.type)));
    const std::string& domain = *domains_.insert(domainOf(op)).first;
    if (!domain.empty()) node.set_domain(domain);
    node.set_name(std::string(text(op.name)));
    if (!op.docString.empty()) node.set_doc_string(std::string(text(op.docString)));
    for (const ValueId input : op.inputs) node.add_input(input.isNone() ? "" : std::string(nameOf(input)));
    for (const ValueId output : op.outputs) node.add_output(output.isNone() ? "" : std::string(nameOf(output)));
    for (const Attribute& attribute : op.attributes) *node.add_attribute() = messageOf(attribute);
    addMetadata(node, kIdKey, fmt::format("{}", id.index()));
    addMetadata(node, kCallKey, text(op.sourceCall));
    addMetadata(node, kOperatorKey, text(op.sourceTarget));
    addMetadata(node, kScopeKey, module_.scopePath(op.scope));
    std::string after;
    for (const OpId before : op.controlPredecessors)
      after += fmt::format("{}{}", after.empty() ? "" : ",", before.index());
    addMetadata(node, kAfterKey, after);
    for (const auto& [key, value] : op.metadata) addMetadata(node, std::string(text(key)), text(value));
  }

  std::string_view nameOf(ValueId value) const { return text(module_.values[value].name); }

  const Module& module_;
  onnx::ModelProto& model_;
  onnx::GraphProto& graph_;
  const OperatorTypes schemas_;
  const HostValues elements_;
  IdVector<ValueId, Type> types_;
  /// Of the nodes; of ONNX's own in any case, without which its checker takes no model.
  std::set<std::string> domains_{""};
};

}  // namespace

Known<std::string> writeProgram(const Module& module) {
  google::protobuf::Arena arena;
  auto& model = *google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena);
  ProgramWriter(module, model).write();
  const size_t bytes = model.ByteSizeLong();
  if (bytes > static_cast<size_t>(limits::kModelBytes))
    return Absence{Absence::Reason::LargeModel, {fmt::format("{}", bytes), fmt::format("{}", limits::kModelBytes)}};
  return model.SerializeAsString();
}

}  // namespace amdahlc::ir
