/// Short functions that build modules and rules.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../../ids.h"
#include "ir/domain.h"
#include "ir/module.h"
#include "passes/fuse/cover_builder.h"
#include "passes/fuse/enumeration.h"
#include "tests/unit/ir/expression/expressions.h"

namespace amdahlc::test {

using namespace ir::test;

/// Builds a module operator by operator. The functions return values.
class GraphBuilder {
 public:
  ir::Module module;

  GraphBuilder() {
    module.opsets[""] = 18;
    module.modelName = "test.onnx";
    module.graphs.emplace_back();
  }
  ir::ValueId input(std::string_view name, ir::Type type = {}) {
    const ir::ValueId value = add(name, ir::Value::Kind::Input);
    module.values[value].type = std::move(type);
    module.graphs[graph].inputs.push_back(value);
    return value;
  }
  /// A float32 constant with these elements; unknown data without any.
  ir::ValueId constant(std::initializer_list<double> elements) {
    const ir::ValueId value = add("c" + std::to_string(module.values.size()), ir::Value::Kind::Constant);
    ir::TensorConstant data;
    data.type = ir::Type::tensor(ir::ElementType::Float, {ir::Dim::of(static_cast<int64_t>(elements.size()))});
    if (elements.size() > 0) data.floats = elements;
    module.values[value].type = data.type;
    module.values[value].constant = data;
    return value;
  }
  ir::OpId op(std::string_view type, std::vector<ir::ValueId> inputs, unsigned outputs = 1,
              std::string_view domain = "") {
    const auto id = ir::OpId(module.ops.size());
    ir::Op& made = module.ops.emplace_back();
    made.type = module.strings.intern(type);
    made.domain = module.strings.intern(ir::ownDomain(domain));
    made.name = module.strings.intern("n" + std::to_string(id.index()));
    made.graph = graph;
    made.inputs = std::move(inputs);
    module.graphs[graph].order.push_back(id);
    for (uint32_t output = 0; output < outputs; ++output) {
      const ir::ValueId value = add("v" + std::to_string(module.values.size()), ir::Value::Kind::Result);
      module.values[value].producer = id;
      module.values[value].producerIndex = output;
      module.ops[id].outputs.push_back(value);
    }
    return id;
  }
  /// The first result of a new operator.
  ir::ValueId value(std::string_view type, std::vector<ir::ValueId> inputs) { return out(op(type, std::move(inputs))); }
  ir::ValueId out(ir::OpId op, uint32_t output = 0) const { return module.ops[op].outputs[output]; }
  void attribute(ir::OpId op, std::string name, ir::AttributeValue attributeValue) {
    auto& attributes = module.ops[op].attributes;
    attributes.push_back({std::move(name), std::move(attributeValue)});
    std::sort(attributes.begin(), attributes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  void result(ir::ValueId value) { module.graphs[graph].outputs.push_back(value); }
  /// Starts a region of `parent`; operators go there until `leave`.
  void enter(ir::OpId parent, std::string name) {
    const auto region = ir::GraphId(module.graphs.size());
    module.graphs.emplace_back().parent = parent;
    module.ops[parent].regions.push_back({std::move(name), region});
    graph = region;
  }
  void leave() { graph = module.ops[module.graphs[graph].parent].graph; }

 private:
  ir::ValueId add(std::string_view name, ir::Value::Kind kind) {
    const auto id = ir::ValueId(module.values.size());
    ir::Value& made = module.values.emplace_back();
    made.name = module.strings.intern(name);
    made.kind = kind;
    made.graph = graph;
    return id;
  }
  ir::GraphId graph = ir::kMainGraph;
};

/// Builds a pattern; functions return indices of values.
class PatternBuilder {
 public:
  ir::Pattern pattern;

  uint32_t captured(std::string name, bool optional = false) {
    ir::PatternValue value;
    value.name = std::move(name);
    value.optional = optional;
    return add(std::move(value));
  }
  uint32_t any() {
    ir::PatternValue value;
    value.kind = ir::PatternValue::Kind::Any;
    return add(std::move(value));
  }
  uint32_t constant(std::optional<double> equals = {}) {
    ir::PatternValue value;
    value.kind = ir::PatternValue::Kind::Constant;
    value.constant.equals = equals;
    return add(std::move(value));
  }
  /// The result of a new operator.
  uint32_t made(std::string name, std::vector<std::string> types, std::vector<uint32_t> operands) {
    ir::PatternNode made;
    for (std::string& type : types) made.operators.any.push_back({"", std::move(type)});
    made.operands = std::move(operands);
    pattern.nodes.push_back(std::move(made));
    ir::PatternValue value;
    value.name = std::move(name);
    value.kind = ir::PatternValue::Kind::Defined;
    value.definitions.push_back({false, static_cast<uint32_t>(pattern.nodes.size() - 1), 0});
    const uint32_t id = add(std::move(value));
    pattern.nodes.back().outputs = {id};
    return id;
  }
  ir::PatternNode& node() { return pattern.nodes.back(); }
  ir::PatternValue& at(uint32_t value) { return pattern.values[value]; }
  /// A further definition of `value` as another value.
  void alias(uint32_t value, uint32_t other) { at(value).definitions.push_back({true, other, 0}); }
  ir::Pattern results(std::vector<uint32_t> values) {
    pattern.results = std::move(values);
    return pattern;
  }

 private:
  uint32_t add(ir::PatternValue value) {
    pattern.values.push_back(std::move(value));
    return static_cast<uint32_t>(pattern.values.size() - 1);
  }
};

inline ir::Rule& addRule(ir::Module& module, std::string name, std::vector<ir::Pattern> patterns) {
  ir::Rule& rule = module.rules.rules.emplace_back();
  rule.name = rule.label = std::move(name);
  rule.category = "other";
  rule.patterns = std::move(patterns);
  return rule;
}

/// A chain of operators of the given types, the last the root: `Relu(Add(x, _))`, every further operand captured.
inline ir::Pattern chainPattern(const std::vector<std::pair<std::string, unsigned>>& operators) {
  PatternBuilder producer;
  uint32_t value = producer.captured("x");
  for (size_t i = 0; i < operators.size(); ++i) {
    std::vector<uint32_t> operands{value};
    for (unsigned k = 1; k < operators[i].second; ++k) operands.push_back(producer.captured("o" + std::to_string(i)));
    value = producer.made("v" + std::to_string(i), {operators[i].first}, operands);
  }
  return producer.results({value});
}

inline Enumeration enumerate(const ir::Module& module, MatchLimits limits = {}, bool nearMisses = false) {
  const ir::OperatorGraph graph(module);
  const RuleIndex index(module);
  return enumerateCandidates(module, graph, index, limits, nearMisses);
}

inline std::vector<std::vector<ir::OpId>> matchedOps(const ir::Module& module, MatchLimits limits = {}) {
  std::vector<std::vector<ir::OpId>> result;
  for (const ir::Candidate& candidate : enumerate(module, limits).candidates) result.push_back(candidate.ops);
  return result;
}

using Ops = std::vector<ir::OpId>;
using Sets = std::vector<Ops>;

}  // namespace amdahlc::test
