/// Writes a checked match in the rule language. Private to this component.
///
///     match(x) {
///       y = MatMul(x, const);
///     } -> (Add(y, const) | y)
///
/// A value that is used once and has no name is written where it is used; any other has a statement. Values that need a
/// name and have none get one: `v1`, `v2`. The text of what is read from it is the same.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/rules.h"

namespace amdahlc::ir {

class PatternPrinter {
 public:
  explicit PatternPrinter(const Pattern& pattern);

  /// Without an indentation.
  std::string print();

 private:
  /// What one term of an alternative stands for: an operator, which may be two nodes of the pattern, or another value.
  struct Term {
    bool alias = false;
    /// A node, or a value if `alias`.
    uint32_t index = 0;
    /// The node of those operators of the term whose operands have an order, beside one for the others.
    std::optional<uint32_t> ordered;
    /// `?`: the next definition is the operand for which the operator may be absent.
    bool optional = false;
  };
  using Terms = std::vector<Term>;

  bool isSingle(uint32_t value) const { return !groups_.contains(value); }
  Terms termsOf(uint32_t value, size_t begin, size_t end) const;
  bool areOneTerm(const PatternNode& a, const PatternNode& b) const;
  std::optional<uint32_t> bypassOf(const PatternNode& node) const;

  void findGroups();
  void countUses();
  void count(const Terms& terms);
  void nameValues();
  bool needsName(uint32_t value) const;
  unsigned heightOf(uint32_t value);
  unsigned heightOf(const Terms& terms);
  void giveName(uint32_t value);

  /// The text of a value where it is used; its statement comes first, if it has one.
  std::string use(uint32_t value);
  std::string text(const Terms& terms);
  std::string text(const Term& term);
  std::string nodeText(const Term& term);
  std::string constantText(const ConstantTest& constant) const;
  void state(uint32_t value);
  std::string groupText(const std::vector<uint32_t>& outputs);

  const Pattern& pattern_;
  std::vector<std::string> names_;
  std::set<std::string> taken_;
  unsigned lastName_ = 0;
  /// By value: the outputs of the operators with several results that define it.
  std::map<uint32_t, std::vector<uint32_t>> groups_;
  std::vector<uint32_t> uses_;
  /// By value: whether another one is defined as it, so that it needs a name if it is defined itself.
  std::vector<bool> stoodFor_;
  std::vector<std::optional<unsigned>> heights_;
  /// The value whose one operator is the anchor.
  std::optional<uint32_t> anchor_;
  std::vector<bool> stated_;
  std::vector<std::string> statements_;
  std::vector<std::string> shared_;
};

}  // namespace amdahlc::ir
