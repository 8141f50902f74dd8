/// Values of expressions of the rule language: three truth values, and typed values with "unknown".
///
/// A value is unknown if the module or the trace lacks it: a symbolic dimension, a missing attribute, data that was not
/// kept, a launch fact that the profiler did not record. Unknown is neither an error nor false: `dim(x, 0) > 4` and
/// `not dim(x, 0) > 4` are both unknown if the dimension is. A rule requires that its conditions are true.
///
/// The logic is Kleene's strong logic: `and` and `or` are known if one side decides them. Any other operation with an
/// unknown operand is unknown.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/module.h"

namespace re2 {
class RE2;
}

namespace amdahlc::expression {

enum class Truth : uint8_t { False, True, Unknown };

inline Truth truthOf(bool value) { return value ? Truth::True : Truth::False; }
Truth negation(Truth value);
Truth conjunction(Truth a, Truth b);
Truth disjunction(Truth a, Truth b);

/// The value of an expression. Text is not owned: it belongs to the expression, the module or the timeline.
struct Value {
  enum class Type : uint8_t {
    Unknown,
    Bool,
    Int,
    Float,
    String,
    /// A symbolic dimension: equal to itself, otherwise unknown, because two symbols may have one value.
    Symbol,
    ElementType,
    List,
    /// A value of the graph, as an argument of functions. It is equal to no value.
    GraphValue,
    /// A compiled regular expression: a string is equal to it if the pattern is found in the string.
    Regex,
  };
  Type type = Type::Unknown;
  /// Bool (0 or 1), Int, ElementType (ONNX's number).
  int64_t integer = 0;
  /// Float.
  double real = 0;
  /// String, Symbol.
  std::string_view text = {};
  /// List.
  std::vector<Value> items = {};
  /// GraphValue; `kNone` if the operand is omitted.
  ir::ValueId graphValue = ir::kNone;
  /// Regex; compiled without errors.
  const re2::RE2* regex = nullptr;

  static Value unknown() { return {}; }
  static Value of(bool value) { return {.type = Type::Bool, .integer = value}; }
  static Value of(int64_t value) { return {.type = Type::Int, .integer = value}; }
  static Value of(double value) { return {.type = Type::Float, .real = value}; }
  static Value of(std::string_view value) { return {.type = Type::String, .text = value}; }
  static Value of(Truth value) { return value == Truth::Unknown ? unknown() : of(value == Truth::True); }
  static Value of(ir::ElementType value) { return {.type = Type::ElementType, .integer = static_cast<int64_t>(value)}; }
  static Value of(const re2::RE2& value) { return {.type = Type::Regex, .regex = &value}; }
  static Value symbol(std::string_view name) { return {.type = Type::Symbol, .text = name}; }
  static Value list(std::vector<Value> items) { return {.type = Type::List, .items = std::move(items)}; }
  static Value graph(ir::ValueId value) { return {.type = Type::GraphValue, .graphValue = value}; }

  bool isUnknown() const { return type == Type::Unknown; }
  bool isNumber() const { return type == Type::Int || type == Type::Float; }
  /// Of a number.
  double number() const { return type == Type::Int ? static_cast<double>(integer) : real; }
};

/// A value as a condition. A truth value is itself, an integer is true unless it is 0 (ONNX has no boolean attributes),
/// and all others are unknown.
Truth truth(const Value& value);

/// `a == b`. Integers are compared exactly. If one side is a float, numbers that are equal as float32 are equal,
/// because attributes and constants of ONNX are float32. Lists are compared by element. An element type is equal to its
/// name and to its ONNX number (`to` of a Cast). A truth value is equal to an integer of the same truth. All other
/// comparisons are unknown.
Truth equal(const Value& a, const Value& b);

/// `a < b`, `<=`, `>`, `>=` over numbers; unknown for other values. Numbers that are `equal` are not less. NaN is
/// neither less nor greater.
Truth compare(ir::Expr::Kind kind, const Value& a, const Value& b);

/// `a + b`, `-`, `*`, `/`, `%` over numbers; unknown for other values. Exact over integers: a result beyond 64 bits is
/// unknown. `a / b` is exact division: 6 / 2 is the integer 3, 7 / 2 the float 3.5. `a % b` has the sign of `a`.
/// Division by 0 is unknown.
Value arithmetic(ir::Expr::Kind kind, const Value& a, const Value& b);

/// `-a`.
Value negated(const Value& a);

}  // namespace amdahlc::expression
