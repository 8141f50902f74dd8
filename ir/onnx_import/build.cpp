#include "ir/onnx_import/build.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ir/domain.h"
#include "ir/onnx_import/check.h"
#include "ir/onnx_import/scope.h"
#include "ir/onnx_schemas/proto_values.h"

namespace amdahlc::ir::onnx_import {

using namespace onnx_schemas;

namespace {

/// What names of values mean in the graphs that are open, from the main graph inwards. A name is looked up in the
/// module's strings, and what it means is in an array.
class Names {
 public:
  struct Meaning {
    /// In the innermost open graph that has it.
    ValueId value;
    /// That the innermost open graph which mentions it declares.
    const onnx::TypeProto* type = nullptr;
    /// Open graphs that define it anywhere: names inside of them must differ.
    uint32_t definers = 0;
    /// How many graphs are around the outermost of these.
    uint32_t outermostDefiner = 0;
    /// The innermost open graph that mentions it, by the number of graphs opened before; what follows is about it.
    uint32_t graph = kNowhere;
    bool isDefinedHere = false;
    bool isValueHere = false;
  };

  void open() {
    open_.push_back({current_, hidden_.size()});
    current_ = ++opened_;
  }
  void close() {
    for (; hidden_.size() > open_.back().firstHidden; hidden_.pop_back())
      meanings_[hidden_.back().first.index] = hidden_.back().second;
    current_ = open_.back().outer;
    open_.pop_back();
  }

  /// The meaning in the graph that was opened last. Valid until the next call.
  Meaning& here(Symbol name) {
    if (name.index >= meanings_.size()) meanings_.resize(std::max<size_t>(name.index + 1, 2 * meanings_.size()));
    Meaning& meaning = meanings_[name.index];
    if (meaning.graph == current_) return meaning;
    if (open_.size() > 1) hidden_.emplace_back(name, meaning);
    meaning.graph = current_;
    meaning.type = nullptr;
    meaning.isDefinedHere = meaning.isValueHere = false;
    return meaning;
  }
  const Meaning& anywhere(Symbol name) const {
    static constexpr Meaning kNothing;
    return name.index < meanings_.size() ? meanings_[name.index] : kNothing;
  }

  void define(Symbol name) {
    Meaning& meaning = here(name);
    if (!meaning.isDefinedHere && ++meaning.definers == 1) meaning.outermostDefiner = depth();
    meaning.isDefinedHere = true;
  }

  /// The least number that makes a name, which no open graph defines, of one that several define. What a search has
  /// found taken is remembered until a graph that takes it is closed.
  template <typename Symbols>
  Symbol defineNumbered(Symbol name, const Symbols& symbols) {
    std::vector<Taken>& taken = taken_[name.index];
    const auto isOpen = [&](const Taken& entry) {
      return entry.depth < open_.size() && graphAt(entry.depth) == entry.graph;
    };
    while (!taken.empty() && !isOpen(taken.back())) taken.pop_back();
    uint32_t innermost = taken.empty() ? 0 : taken.back().depth;
    for (int64_t number = taken.empty() ? 1 : taken.back().next;; ++number) {
      const Symbol candidate = symbols(number);
      const bool isFree = anywhere(candidate).definers == 0;
      if (isFree) define(candidate);
      innermost = std::max(innermost, anywhere(candidate).outermostDefiner);
      if (taken.empty() || taken.back().depth < innermost) taken.push_back({graphAt(innermost), innermost, number});
      taken.back().next = number + 1;
      if (isFree) return candidate;
    }
  }

 private:
  static constexpr uint32_t kNowhere = 0;
  struct OpenGraph {
    uint32_t outer;
    size_t firstHidden;
  };
  /// All numbers below `next` make names that graphs define which are no deeper than `depth`.
  struct Taken {
    uint32_t graph, depth;
    int64_t next;
  };

  /// How many graphs are around the one that was opened last.
  uint32_t depth() const { return static_cast<uint32_t>(open_.size()) - 1; }
  uint32_t graphAt(uint32_t depth) const { return depth + 1 < open_.size() ? open_[depth + 1].outer : current_; }

  /// By symbol.
  std::vector<Meaning> meanings_;
  /// Meanings in graphs around the open ones, to be restored when these are closed.
  std::vector<std::pair<Symbol, Meaning>> hidden_;
  std::vector<OpenGraph> open_;
  /// By the index of a symbol, from the main graph inwards.
  std::unordered_map<uint32_t, std::vector<Taken>> taken_;
  uint32_t opened_ = 0;
  uint32_t current_ = kNowhere;
};

class Builder {
 public:
  Builder(const onnx::ModelProto& model, const GraphConstants& constants, Module& module)
      : constants_(constants), sources_(model, constants), module_(module) {
    Size size;
    count(model.graph(), size);
    module_.graphs.reserve(size.graphs);
    module_.ops.reserve(size.ops);
    module_.values.reserve(size.values);
  }

  /// Values in order of definition: inputs, constants, then each op's results followed by what its regions define.
  GraphId graph(const onnx::GraphProto& proto, OpId parent) {
    const auto id = module_.graphs.nextId();
    module_.graphs.emplace_back();
    module_.graphs[id].name = intern(proto.name());
    module_.graphs[id].parent = parent;
    module_.graphs[id].order.reserve(static_cast<size_t>(proto.node_size()));
    names_.open();
    const std::vector<Symbol> results = defineNames(proto);
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
      if (names_.here(name).isValueHere) continue;
      Value& value = module_.values[define(name, Value::Kind::Constant, id)];
      value.type = constant.constant.type;
      value.byteSize = constant.byteSize;
      value.constant = constant.constant;
    }
    const Symbol* nextResult = results.data();
    for (const auto& node : proto.node()) this->node(node, id, nextResult);
    for (const auto& output : proto.output()) {
      const ValueId value = find(output.name());
      module_.graphs[id].outputs.push_back(value);
    }
    names_.close();
    return id;
  }

  int64_t renamed() const { return renamed_; }

 private:
  struct Size {
    size_t graphs = 0, ops = 0, values = 0;
  };

  /// At most this much will be built.
  void count(const onnx::GraphProto& proto, Size& size) const {
    ++size.graphs;
    size.ops += static_cast<size_t>(proto.node_size());
    size.values += static_cast<size_t>(proto.input_size()) + constants_.at(&proto).size();
    for (const auto& node : proto.node()) {
      size.values += static_cast<size_t>(node.output_size());
      for (const auto& attribute : node.attribute()) {
        if (attribute.has_g()) count(attribute.g(), size);
        for (const auto& nested : attribute.graphs()) count(nested, size);
      }
    }
  }

  Symbol intern(std::string_view text) { return module_.strings.intern(text); }

  /// Takes up the names and the declared types of the graph that was opened last. Returns the names of its nodes'
  /// results, without those that are omitted.
  std::vector<Symbol> defineNames(const onnx::GraphProto& proto) {
    std::vector<Symbol> results;
    results.reserve(static_cast<size_t>(proto.node_size()));
    for (const auto& input : proto.input()) names_.define(intern(input.name()));
    for (const auto& constant : constants_.at(&proto)) names_.define(intern(constant.name));
    for (const auto& node : proto.node()) {
      for (const auto& output : node.output()) {
        const Symbol name = intern(output);
        names_.define(name);
        if (!output.empty()) results.push_back(name);
      }
    }
    const auto declare = [&](const onnx::ValueInfoProto& info) {
      const auto name = module_.strings.lookUp(info.name());
      if (!name || !info.has_type()) return;
      Names::Meaning& meaning = names_.here(*name);
      if (meaning.type == nullptr) meaning.type = &info.type();
    };
    for (const auto& info : proto.input()) declare(info);
    for (const auto& info : proto.output()) declare(info);
    for (const auto& info : proto.value_info()) declare(info);
    return results;
  }

  /// The name in the module: as in the model, unless an enclosing graph defines it too.
  Symbol uniqueName(Symbol name) {
    const Names::Meaning& meaning = names_.here(name);
    if (meaning.definers == (meaning.isDefinedHere ? 1u : 0u)) return name;
    ++renamed_;
    return names_.defineNumbered(
        name, [&](int64_t number) { return intern(fmt::format("{}@{}", module_.text(name), number)); });
  }

  /// Adds a value that the name means from now on.
  ValueId define(Symbol name, Value::Kind kind, GraphId graph) {
    const ValueId id = add(name, kind, graph);
    mean(name, id);
    return id;
  }

  void mean(Symbol name, ValueId value) {
    Names::Meaning& meaning = names_.here(name);
    if (!meaning.isValueHere) meaning.value = value;
    meaning.isValueHere = true;
  }

  ValueId add(Symbol name, Value::Kind kind, GraphId graph) {
    const auto id = module_.values.nextId();
    const Symbol unique = uniqueName(name);
    Value& value = module_.values.emplace_back();
    value.name = unique;
    value.kind = kind;
    value.graph = graph;
    if (const onnx::TypeProto* type = names_.here(name).type) {
      value.type = onnx_import::type(*type);
      value.byteSize = value.type.byteSize();
    }
    return id;
  }

  ValueId find(std::string_view name) const {
    const auto known = module_.strings.lookUp(name);
    return known ? names_.anywhere(*known).value : ValueId(kNone);
  }

  /// `nextResult` goes on past the names of this node's results.
  void node(const onnx::NodeProto& proto, GraphId graph, const Symbol*& nextResult) {
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
    const Symbol* const results = nextResult;
    for (const auto& output : proto.output()) {
      const auto index = static_cast<uint32_t>(op.outputs.size());
      op.outputs.push_back(output.empty() ? kNone : add(*nextResult++, Value::Kind::Result, graph));
      if (output.empty()) continue;
      module_.values.back().producer = id;
      module_.values.back().producerIndex = index;
    }
    for (const auto& attribute : proto.attribute())
      if (auto value = attributeValue(attribute)) op.attributes.push_back({attribute.name(), std::move(*value)});
    std::sort(op.attributes.begin(), op.attributes.end(),
              [](const Attribute& a, const Attribute& b) { return a.name < b.name; });

    std::vector<Region> regions;
    for (const auto& attribute : proto.attribute()) {
      if (attribute.has_g()) regions.push_back({attribute.name(), this->graph(attribute.g(), id)});
      for (int i = 0; i < attribute.graphs_size(); ++i)
        regions.push_back({fmt::format("{}.{}", attribute.name(), i), this->graph(attribute.graphs(i), id)});
    }
    module_.ops[id].regions = std::move(regions);
    // Not before: in its bodies, the name of a result means a value around the operator.
    const Symbol* result = results;
    for (const ValueId output : module_.ops[id].outputs)
      if (output != kNone) mean(*result++, output);
  }

  const GraphConstants& constants_;
  const SourceResolver sources_;
  Module& module_;
  Names names_;
  int64_t renamed_ = 0;
};

}  // namespace

Module buildModule(const onnx::ModelProto& model, const GraphConstants& constants, const std::string& modelName) {
  Module module;
  module.modelName = modelName;
  module.opsets = importedOpsets(model);
  Builder builder(model, constants, module);
  builder.graph(model.graph(), kNone);
  module.dataProblems.add(
      "shadowed-name", builder.renamed(),
      "values of bodies that have the name of a value around them; they are written with `@` and a number");
  return module;
}

}  // namespace amdahlc::ir::onnx_import
