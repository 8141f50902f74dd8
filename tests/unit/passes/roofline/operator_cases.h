/// Operators with the shapes of their operands, for tests of their rows.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/known_values.h"
#include "ir/module.h"
#include "passes/roofline/operator_work.h"

namespace amdahlc::testing {

/// `f16[2,3]`, with `?` for a dimension that is not known; empty for an operand that is left out. A list of integers
/// behind it makes it a constant: `i64[1]=0`.
struct OperatorCase {
  std::string domain, type;
  std::vector<std::string> operands, results;
  std::vector<ir::Attribute> attributes = {};
  int64_t opset = 23;
};

/// What a row says about an operator.
struct OperatorFindings {
  std::optional<Absence> reason;
  FlopsByType matrix, vector;
  /// Of operands and results that are there; those that the host reads are 0.
  std::vector<int64_t> read, written;
  bool onlyRenames = false;
};

inline ir::ElementType elementOf(const std::string& name) {
  static const std::vector<std::pair<std::string, ir::ElementType>> kNames = {
      {"f32", ir::ElementType::Float},    {"f16", ir::ElementType::Float16}, {"i8", ir::ElementType::Int8},
      {"u8", ir::ElementType::UInt8},     {"i32", ir::ElementType::Int32},   {"i64", ir::ElementType::Int64},
      {"bool", ir::ElementType::Bool},    {"i4", ir::ElementType::Int4},     {"f64", ir::ElementType::Double},
      {"bf16", ir::ElementType::BFloat16}};
  for (const auto& [known, type] : kNames)
    if (known == name) return type;
  return ir::ElementType::Undefined;
}

inline ir::ValueId addValue(ir::Module& module, const std::string& text, const std::string& name) {
  const size_t open = text.find('['), close = text.find(']'), equals = text.find('=');
  ir::Value value;
  value.name = module.strings.intern(name);
  value.kind = equals != std::string::npos ? ir::Value::Kind::Constant : ir::Value::Kind::Input;
  std::vector<ir::Dim> dims;
  std::string number;
  for (size_t at = open + 1; at <= close; ++at) {
    if (text[at] != ',' && text[at] != ']') {
      number += text[at];
      continue;
    }
    if (!number.empty()) dims.push_back(number == "?" ? ir::Dim{} : ir::Dim::of(std::stoll(number)));
    number.clear();
  }
  value.type = ir::Type::tensor(elementOf(text.substr(0, open)), std::move(dims));
  if (equals != std::string::npos) {
    std::vector<int64_t> elements;
    for (size_t at = equals; at != std::string::npos; at = text.find(',', at + 1))
      elements.push_back(std::stoll(text.substr(at + 1)));
    value.constant = ir::TensorConstant{value.type, std::move(elements), {}};
  }
  return module.values.push_back(std::move(value));
}

/// A module of this operator alone.
inline ir::Module moduleOf(const OperatorCase& one) {
  ir::Module module;
  module.opsets[one.domain] = one.opset;
  module.graphs.emplace_back().name = module.strings.intern("main");
  ir::Op op;
  op.type = module.strings.intern(one.type);
  op.domain = module.strings.intern(one.domain);
  op.name = module.strings.intern("node");
  op.attributes = one.attributes;
  std::sort(op.attributes.begin(), op.attributes.end(), [](auto& a, auto& b) { return a.name < b.name; });
  for (const std::string& text : one.operands)
    op.inputs.push_back(text.empty() ? ir::ValueId() : addValue(module, text, "x" + std::to_string(op.inputs.size())));
  for (const std::string& text : one.results)
    op.outputs.push_back(text.empty() ? ir::ValueId()
                                      : addValue(module, text, "y" + std::to_string(op.outputs.size())));
  module.ops.push_back(std::move(op));
  module.graphs[ir::kMainGraph].order.emplace_back(0);
  return module;
}

inline OperatorFindings findingsOf(const OperatorCase& one) {
  const ir::Module module = moduleOf(one);
  const ir::OpId id(0);
  const RunShapes shapes(module);
  const OperatorWork work = workOf(module, id, shapes);
  OperatorFindings found{work.reason(), work.matrixFlops(), work.vectorFlops(), {}, {}, work.onlyRenames()};
  const ir::Op& op = module.ops[id];
  const auto add = [&](std::vector<int64_t>& to, std::optional<Amount> given, ir::ValueId value) {
    const Amount bytes = given ? *given : shapes.bytes(value);
    to.push_back(bytes.isKnown() ? *bytes : -1);
  };
  for (uint32_t i = 0; i < op.inputs.size(); ++i)
    if (!op.inputs[i].isNone())
      add(found.read, ir::isShapeOperand(module, op, i) ? std::optional(Amount(0)) : work.readOf(i), op.inputs[i]);
  for (uint32_t i = 0; i < op.outputs.size(); ++i)
    if (!op.outputs[i].isNone()) add(found.written, work.writtenOf(i), op.outputs[i]);
  return found;
}

}  // namespace amdahlc::testing
