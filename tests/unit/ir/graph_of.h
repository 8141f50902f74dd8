/// Small graphs built without a file format.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../ids.h"
#include "ir/module.h"

namespace amdahlc::ir::test {

/// A main graph that grows by one value or operator a call. Types default to float32[2,3].
class GraphOf {
 public:
  GraphOf() {
    module.modelName = "test";
    module.opsets[""] = 18;
    module.graphs.emplace_back();
    module.graphs[0_graph].name = module.strings.intern("main");
  }

  ir::ValueId input(const std::string& name, ir::Type type = matrix()) {
    const ir::ValueId id = value(name, std::move(type), ir::Value::Kind::Input, graph_);
    module.graphs[graph_].inputs.push_back(id);
    return id;
  }

  ir::ValueId constant(const std::string& name, std::vector<int64_t> ints) {
    const ir::Type type = ir::Type::tensor(ir::ElementType::Int64, {ir::Dim::of(static_cast<int64_t>(ints.size()))});
    const ir::ValueId id = value(name, type, ir::Value::Kind::Constant, graph_);
    module.values[id].constant = ir::TensorConstant{type, std::move(ints), std::nullopt};
    return id;
  }

  /// An operator with one result, which has its name.
  ir::ValueId op(const std::string& name, const std::string& type, std::vector<ir::ValueId> inputs,
                 ir::Type resultType = matrix(), std::vector<ir::Attribute> attributes = {}) {
    const auto id = ir::OpId(module.ops.size());
    ir::Op op;
    op.name = module.strings.intern(name);
    op.type = module.strings.intern(type);
    op.graph = graph_;
    op.inputs = std::move(inputs);
    op.attributes = std::move(attributes);
    module.ops.push_back(std::move(op));
    module.graphs[graph_].order.push_back(id);
    const ir::ValueId result = value(name, std::move(resultType), ir::Value::Kind::Result, graph_);
    module.values[result].producer = id;
    module.ops[id].outputs.push_back(result);
    return result;
  }

  /// Opens a body of the operator that makes `of`; further values go there until `close`.
  void body(ir::ValueId of, const std::string& name) {
    const ir::OpId parent = module.values[of].producer;
    const auto id = ir::GraphId(module.graphs.size());
    module.graphs.emplace_back();
    module.graphs[id].name = module.strings.intern(name);
    module.graphs[id].parent = parent;
    module.ops[parent].regions.push_back({name, id});
    graph_ = id;
  }
  void close(std::initializer_list<ir::ValueId> outputs) {
    module.graphs[graph_].outputs = outputs;
    graph_ = ir::kMainGraph;
  }
  void outputs(std::initializer_list<ir::ValueId> outputs) { module.graphs[0_graph].outputs = outputs; }

  ir::OpId producer(ir::ValueId result) const { return module.values[result].producer; }
  static ir::Type matrix() { return ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(2), ir::Dim::of(3)}); }
  static ir::Type vector(ir::ElementType element, int64_t count) {
    return ir::Type::tensor(element, {ir::Dim::of(count)});
  }

  ir::Module module;

 private:
  ir::ValueId value(const std::string& name, ir::Type type, ir::Value::Kind kind, ir::GraphId graph) {
    const auto id = ir::ValueId(module.values.size());
    ir::Value made;
    made.name = module.strings.intern(name);
    made.kind = kind;
    made.graph = graph;
    made.byteSize = type.byteSize();
    made.type = std::move(type);
    module.values.push_back(std::move(made));
    return id;
  }

  ir::GraphId graph_ = ir::kMainGraph;
};

}  // namespace amdahlc::ir::test
