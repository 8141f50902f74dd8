/// The one evaluator of the rule language: compiled expressions over leaves.
///
/// Objective. Decide whether a condition of a rule holds for a match, an operator, an element of a constant or a
/// launch, in three-valued logic.
///
/// States. An expression is compiled once, with its rule, into one function over leaves, made of those of its parts.
/// Compilation resolves everything that does not depend on the leaves: names to pattern values, element types,
/// attributes or rows of the table of functions; functions to their implementations; regular expressions to automata.
/// The checker of the rule language has refused expressions with a wrong number of operands and those that nest too
/// deep. An unknown function, a name that is not allowed in the context, a wrong number of arguments or a malformed
/// regular expression is always unknown.
///
/// Transitions. An operator computes from the values of its arguments (`value.h`), a leaf from `Leaves`. `and` and `or`
/// stop at the first argument that decides, `in` at the first member that is equal.
///
/// Invariants. Evaluation has no side effect and no state: the same leaves give the same value. An unknown argument
/// makes a result unknown unless the other arguments decide it.
///
/// Cost. One call per part and evaluation. A list copies its items. A regular expression is linear in the text.
/// Expressions without lists do not allocate.
#pragma once

#include <cstdint>
#include <functional>
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
  /// `values` are the values of the pattern, for a condition of `where`, or the parameters of a lowering.
  Expression(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values = {});

  Value evaluate(const Leaves& leaves) const { return evaluate_(leaves); }
  /// The expression as a condition. A regular expression alone tests the kernel's name.
  Truth truth(const Leaves& leaves) const;
  /// Whether the condition is true. Unknown is not.
  bool holds(const Leaves& leaves) const { return truth(leaves) == Truth::True; }

  /// Whether it depends on the element under test (`it` outside a function), so that each element must be tried.
  bool testsElements() const { return testsElements_; }
  /// Pattern values that it names.
  const std::vector<uint32_t>& values() const { return values_; }

 private:
  using Evaluate = std::function<Value(const Leaves&)>;

  /// `graphValue`: the context expects a value of the graph, not a number.
  Evaluate compile(const ir::Expr& source, Context context, std::span<const ir::PatternValue> values, bool graphValue);
  Evaluate compileName(const std::string& name, Context context, std::span<const ir::PatternValue> values,
                       bool graphValue);

  bool testsElements_ = false;
  std::vector<uint32_t> values_;
  Evaluate evaluate_;
};

}  // namespace amdahlc::expression
