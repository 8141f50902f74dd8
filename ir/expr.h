/// Expressions of the rule language as plain data, and the one table of their operators.
///
/// `grammar` builds and checks them, `ir/text` writes them, and `ir/expression` evaluates them. The table
/// in `ir/expression/functions.h` gives names and functions their meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace amdahlc::ir {

/// A tree of operators over leaves: a `where` condition, an attribute test, a test of a constant or a kernel test.
struct Expr {
  enum class Kind : uint8_t {
    And,
    Or,
    Not,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Neg,
    Call,
    Name,
    Int,
    Float,
    String,
    Regex,
    Bool
  };
  Kind kind = Kind::Bool;
  /// Operands of an operator, two where it is infix and not `and` or `or`; arguments of a call. `In` has the tested
  /// expression first, then the members.
  std::vector<Expr> args;
  /// Name: a value of the pattern, an element type, an attribute, a launch fact. Call: the function. String and Regex:
  /// the literal.
  std::string text;
  /// Int; Bool (0 or 1).
  int64_t integer = 0;
  /// Float.
  double real = 0;
  /// Not part of equality.
  SourceRange range;
  friend bool operator==(const Expr& a, const Expr& b) {
    return a.kind == b.kind && a.args == b.args && a.text == b.text && a.integer == b.integer && a.real == b.real;
  }
};

/// The function of a Call that denotes the list `[0, 2, 1, 3]`.
inline constexpr std::string_view kListConstructor = "list";

/// How tightly an expression binds: the rules of the grammar, from the outermost.
enum class Binding : uint8_t { Or, And, Alternatives, Not, Comparison, Sum, Product, Unary, Primary };

/// One row per operator.
struct OperatorInfo {
  Expr::Kind kind;
  /// The spelling in the language.
  std::string_view spelling;
  /// Written between its operands. `not` and the unary `-` precede theirs, `in` has a list after it.
  bool infix;
  Binding binding;
};
/// The row of an operator; nullptr for leaves and calls.
const OperatorInfo* findOperator(Expr::Kind kind);
/// The infix operator of this spelling.
std::optional<Expr::Kind> infixKind(std::string_view spelling);

}  // namespace amdahlc::ir
