/// Expressions of the rule language over a match: `where` conditions, attribute tests, tests of constants.
///
/// Three-valued: what depends on an unknown dimension, a missing attribute or data that the module does not keep is unknown, and unknown
/// never satisfies. `and` and `or` decide where one side suffices; every other operation on an unknown is unknown.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace re2 {
class RE2;
}

namespace amdahlc {

class SchemaDefaults;

/// The constant that `value` is: an initializer, a folded constant, or the attribute of a live `Constant` operator. `Kind::None`: no constant.
struct ConstantView {
  enum class Kind : uint8_t { None, Tensor, Integers, Floats, Opaque };
  Kind kind = Kind::None;
  const ir::TensorConstant* tensor = nullptr;
  std::span<const int64_t> ints;
  std::span<const double> floats;

  explicit operator bool() const { return kind != Kind::None; }
  /// Number of elements whose value is known; 0 where the data is not kept.
  size_t knownElements() const { return ints.size() + floats.size(); }
  double element(size_t index) const { return ints.empty() ? floats[index] : static_cast<double>(ints[index]); }
};
ConstantView constantOf(const ir::Module& module, ir::ValueId value);

/// True where every element equals `expected` within 1e-3 relative; false for unknown data.
bool constantEquals(const ConstantView& constant, double expected);

/// What an expression is evaluated over. Unused parts stay empty.
struct ExpressionScope {
  const ir::Module& module;
  const ir::UseIndex& uses;
  SchemaDefaults& defaults;
  std::span<const ir::ValueId>
      bound;             ///< module value by pattern value; `kUnboundValue`, or kNone for an omitted operand
  ir::OpId op;           ///< whose attributes bare names are
  ir::ValueId it;        ///< the constant under test
  double itElement = 0;  ///< the element of it
};
/// A pattern value that the match did not reach (another alternative was taken).
inline constexpr ir::ValueId kUnboundValue{ir::kNoIndex - 1};

/// Attribute defaults of ONNX's schemas, asked once each.
class SchemaDefaults {
 public:
  explicit SchemaDefaults(const ir::Module& module) : module_(module) {}
  /// The attribute of `op`, or its default; nullptr where there is neither. The pointer lives as long as this object and the module.
  const ir::AttributeValue* attribute(ir::OpId op, std::string_view name);

 private:
  struct Entry {
    Symbol domain, type;
    std::string name;
    std::optional<ir::AttributeValue> value;
  };
  const ir::Module& module_;
  std::vector<std::unique_ptr<Entry>> entries_;  // few: the attributes that rules test
};

/// A compiled expression: names resolved, regular expressions compiled.
class Expression {
 public:
  /// What a bare name means.
  enum class Names : uint8_t { Values, Attributes, Constant };
  Expression(const ir::Expr& source, Names names, const ir::Pattern& pattern);

  enum class Truth : uint8_t { False, True, Unknown };
  Truth evaluate(const ExpressionScope& scope) const;
  bool holds(const ExpressionScope& scope) const { return evaluate(scope) == Truth::True; }
  /// Whether it names the element under test (`it` outside a function), so that each element must be tried.
  bool testsElements() const { return testsElements_; }
  /// Pattern values that it names.
  const std::vector<uint32_t>& values() const { return values_; }

  /// One operation or leaf; arguments are node indices. Public for the evaluator only.
  struct Node {
    ir::Expr::Kind kind = ir::Expr::Kind::Bool;
    enum class Leaf : uint8_t { None, Value, Element, Attribute, ElementType, Unresolved } leaf = Leaf::None;
    enum class Function : uint8_t {
      Rank,
      Type,
      Dim,
      Elements,
      Bytes,
      Constant,
      Value,
      Uses,
      SameShape,
      Same,
      Opset,
      Attr,
      Scope,
      List,
      Unknown
    } function = Function::Unknown;
    uint32_t slot = 0;  ///< Leaf::Value: pattern value; `kIt` for the constant under test
    int64_t integer = 0;
    double real = 0;
    std::string text;
    std::shared_ptr<re2::RE2> regex;
    std::vector<uint32_t> arguments;
  };
  static constexpr uint32_t kIt = 0xffffffffu;

 private:
  uint32_t add(const ir::Expr& source, Names names, const ir::Pattern& pattern, bool argumentOfFunction,
               unsigned depth);
  void resolveName(Node& node, Names names, const ir::Pattern& pattern, bool argumentOfFunction);

  std::vector<Node> nodes_;
  uint32_t root_ = 0;
  bool testsElements_ = false;
  std::vector<uint32_t> values_;
};

/// Whether `test` accepts `constant`, the value `value`: with `test` over elements, every known element must pass, and there must be one.
bool constantSatisfies(const Expression& test, const ConstantView& constant, ir::ValueId value, ExpressionScope scope);

}  // namespace amdahlc
