/// The one evaluator of the rule language: compiled expressions over leaves.
///
/// Objective. Decide whether a condition of a rule holds for a match, an operator, an element of a constant or a
/// launch, in three-valued logic.
///
/// States. An expression compiles once, with its rule, into nodes in the order in which a depth-first walk leaves them:
/// the arguments of a node precede it, the root is last. Compiling resolves what does not depend on the leaves: names
/// to pattern values, element types, attributes or rows of the table of functions; functions to their implementations;
/// regular expressions to automata. What cannot be resolved (an unknown function, a name that is not allowed in the
/// context, a wrong number of arguments, nesting beyond `kMaxExpressionDepth`, a malformed regular expression) becomes
/// a node that is always unknown: checked rules have none, IR text may have any.
///
/// Transitions. A node evaluates from the values of its arguments (`value.h`), a leaf from `Leaves`. `and` and `or`
/// stop at the first argument that decides, `in` at the first member that is equal.
///
/// Invariants. Evaluation has no effect and no state: the same leaves give the same value. An unknown argument makes a
/// result unknown unless the other arguments decide it alone.
///
/// Cost. One visit a node and evaluation; a list copies its items; a regular expression is linear in the text. No
/// allocation without lists.
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
  /// `values` are those of the pattern, in a condition of `where`.
  Expression(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values = {});

  Value evaluate(const Leaves& leaves) const;
  /// The expression as a condition. A regular expression alone tests the kernel's name.
  Truth truth(const Leaves& leaves) const;
  /// Whether it is true: unknown does not satisfy.
  bool holds(const Leaves& leaves) const { return truth(leaves) == Truth::True; }

  /// Whether it depends on the element under test (`it` outside a function), so that each element must be tried.
  bool testsElements() const { return testsElements_; }
  /// Pattern values that it names.
  const std::vector<uint32_t>& values() const { return values_; }

 private:
  using Index = uint32_t;
  struct Node {
    /// What a leaf or a call stands for; operators are by `kind`.
    enum class Meaning : uint8_t {
      Operator,
      /// Never anything but unknown.
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
