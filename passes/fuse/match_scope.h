/// The leaves that expressions of a pattern read: the match under construction and its module.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/expression/leaves.h"
#include "ir/module.h"
#include "ir/operator_graph.h"

namespace amdahlc {

/// A pattern value without a value of the module, because another alternative was matched.
inline constexpr ir::ValueId kUnboundValue{ir::kNoIndex - 1};

/// Attributes with the defaults of ONNX's schemas. Each default is read once.
class SchemaDefaults {
 public:
  explicit SchemaDefaults(const ir::Module& module) : module_(module) {}
  /// The attribute of `op`, or its default; nullptr if it has neither. The pointer is valid as long as this object and
  /// the module.
  const ir::AttributeValue* attribute(ir::OpId op, std::string_view name);

 private:
  struct Entry {
    Symbol domain, type;
    std::string name;
    std::optional<ir::AttributeValue> value;
  };
  const ir::Module& module_;
  // Only the attributes that rules test, so that a linear search is fast enough.
  std::deque<Entry> entries_;
};

/// Leaves of the expressions of one match.
class MatchScope final : public expression::MatchLeaves {
 public:
  /// `bound` is the module's value by pattern value: `kUnboundValue`, or `kNone` for an omitted operand. `op` is the
  /// operator under an attribute test. All references outlive the scope.
  MatchScope(const ir::Module& module, const ir::OperatorGraph& graph, SchemaDefaults& defaults,
             std::span<const ir::ValueId> bound, ir::OpId op)
      : module_(module), graph_(graph), defaults_(defaults), bound_(bound), op_(op) {}

  expression::Leaves leaves() const { return {.match = this}; }
  void testConstant(ir::ValueId constant) { constant_ = constant; }
  void testElement(double element) { element_ = element; }

  const ir::Module& module() const override { return module_; }
  ir::ValueId bound(uint32_t patternValue) const override;
  ir::OpId testedOp() const override { return op_; }
  ir::ValueId testedConstant() const override { return constant_; }
  double testedElement() const override { return element_; }
  const ir::AttributeValue* attribute(ir::OpId op, std::string_view name) const override;
  bool isConstant(ir::ValueId value) const override;
  expression::Value constantElement(ir::ValueId value) const override;
  int64_t useCount(ir::ValueId value) const override;

 private:
  const ir::Module& module_;
  const ir::OperatorGraph& graph_;
  SchemaDefaults& defaults_;
  std::span<const ir::ValueId> bound_;
  ir::OpId op_;
  ir::ValueId constant_;
  double element_ = 0;
};

}  // namespace amdahlc
