/// The one evaluator of the rule language: compiled expressions over leaves.
///
/// Objective. Decide whether a condition of a rule holds for a match, an operator, an element of a constant or a
/// launch, in three-valued logic.
///
/// States. An expression is compiled once, with its rule, into nodes in postorder: the arguments of a node precede it,
/// and the root is last. Compilation resolves everything that does not depend on the leaves: names to pattern values,
/// element types, attributes or rows of the table of functions; functions to their implementations; regular expressions
/// to automata. An unknown function, a name that is not allowed in the context, a wrong number of arguments, nesting
/// beyond `limits::kExpressionTokens` or a malformed regular expression becomes a node that is always unknown. Checked
/// rules have no such node; IR text may have any.
///
/// Transitions. A node evaluates from the values of its arguments (`value.h`), a leaf from `Leaves`. `and` and `or`
/// stop at the first argument that decides, `in` at the first member that is equal.
///
/// Invariants. Evaluation has no side effect and no state: the same leaves give the same value. An unknown argument
/// makes a result unknown unless the other arguments decide it.
///
/// Cost. One visit per node and evaluation. A list copies its items. A regular expression is linear in the text.
/// Expressions without lists do not allocate.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/expr.h"
#include "ir/expression/functions.h"
#include "ir/expression/leaves.h"
#include "ir/expression/value.h"
#include "ir/rules.h"

namespace amdahlc::expression {

class Expression {
 public:
  /// `values` are the values of the pattern, for a condition of `where`.
  Expression(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values = {});

  Value evaluate(const Leaves& leaves) const;
  /// The expression as a condition. A regular expression alone tests the kernel's name.
  Truth truth(const Leaves& leaves) const;
  /// Whether the condition is true. Unknown is not.
  bool holds(const Leaves& leaves) const { return truth(leaves) == Truth::True; }

  /// Whether it depends on the element under test (`it` outside a function), so that each element must be tried.
  bool testsElements() const { return testsElements_; }
  /// Pattern values that it names.
  const std::vector<uint32_t>& values() const { return values_; }

 private:
  using Index = uint32_t;
  struct Node {
    /// The meaning of a leaf or a call; operators have their `kind`.
    enum class Meaning : uint8_t {
      Operator,
      /// Always unknown.
      Unresolved,
      Literal,
      PatternValue,
      ConstantUnderTest,
      Attribute,
      Regex,
      List,
      Function
    } meaning = Meaning::Operator;
    ir::Expr::Kind kind = ir::Expr::Kind::Bool;
    /// Literal: a Bool, Int, Float or ElementType.
    Value literal;
    /// PatternValue: its index.
    uint32_t slot = 0;
    /// Literal string; name of an attribute.
    std::string text;
    std::shared_ptr<const re2::RE2> regex;
    Implementation implementation = nullptr;
    std::vector<Index> arguments;
  };

  Index add(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values, bool graphValue,
            int depth);
  void resolve(Node& node, const ir::Expr& source, Context context, std::span<const ir::PatternValue> values,
               bool graphValue);
  void resolveName(Node& node, const std::string& name, Context context, std::span<const ir::PatternValue> values,
                   bool graphValue);

  Value evaluate(Index index, const Leaves& leaves) const;
  Value evaluateOperator(const Node& node, const Leaves& leaves) const;
  Truth truth(Index index, const Leaves& leaves) const;
  Truth membership(const Node& node, const Leaves& leaves) const;

  std::vector<Node> nodes_;
  bool testsElements_ = false;
  std::vector<uint32_t> values_;
};

}  // namespace amdahlc::expression
