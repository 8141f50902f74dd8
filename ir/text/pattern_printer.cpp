#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ir/text.h"
#include "ir/text/printers.h"
#include "ir/text/rule_words.h"

namespace amdahlc::ir {
namespace {

using ValueKind = PatternValue::Kind;

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

/// `a`, `(a, b)`.
std::string listed(const std::vector<std::string>& texts, std::string_view separator) {
  return texts.size() == 1 ? texts.front() : '(' + joined(texts, separator) + ')';
}

std::string operatorText(const std::vector<OperatorName>& any, const std::vector<OperatorName>& none) {
  std::vector<std::string> names, excluded;
  for (const OperatorName& name : any) names.push_back(operatorWord(name));
  for (const OperatorName& name : none) excluded.push_back(operatorWord(name));
  if (excluded.empty()) return listed(names, " | ");
  return '(' + (names.empty() ? std::string("any") : joined(names, " | ")) + " but " + joined(excluded, " | ") + ')';
}

bool isChain(const PatternNode& node) { return node.min != 1 || node.max != 1; }

/// Writes a checked match in the rule language.
///
///     match(x) {
///       y = MatMul(x, const);
///     } -> (Add(y, const) | y)
///
/// A value that is used once and has no name is written where it is used; any other has a statement. Values that need a
/// name and have none get one: `v1`, `v2`. The text of what is read from it is the same.
class PatternPrinter {
 public:
  explicit PatternPrinter(const Pattern& pattern)
      : pattern_(pattern),
        uses_(pattern.values.size()),
        stoodFor_(pattern.values.size()),
        heights_(pattern.values.size()),
        stated_(pattern.values.size()) {
    for (const PatternValue& value : pattern.values) {
      names_.push_back(value.name);
      taken_.insert(value.name);
    }
    findGroups();
    countUses();
    nameValues();
  }

  /// Without an indentation.
  std::string print() {
    std::vector<std::string> results, parameters;
    for (const uint32_t result : pattern_.results) results.push_back(use(result));
    for (uint32_t value = 0; value < pattern_.values.size(); ++value) {
      const PatternValue& it = pattern_.values[value];
      if (it.kind == ValueKind::Captured && !names_[value].empty() && uses_[value] > 0)
        parameters.push_back(names_[value] + (it.optional ? "?" : ""));
    }
    std::string out = "match";
    if (!parameters.empty()) out += '(' + joined(parameters, ", ") + ')';
    std::vector<std::string> lines = statements_;
    if (!shared_.empty()) lines.push_back("shared " + joined(shared_, ", ") + ';');
    if (anchor_) lines.push_back("anchor " + names_[*anchor_] + ';');
    for (const Expr& condition : pattern_.where) lines.push_back("where " + printExpression(condition) + ';');
    if (!lines.empty()) out += " {\n  " + joined(lines, "\n  ") + "\n}";
    return out + " -> " + listed(results, ", ");
  }

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

  void findGroups() {
    for (const PatternNode& node : pattern_.nodes) {
      if (node.outputs.size() < 2) continue;
      for (const uint32_t output : node.outputs)
        if (output != PatternNode::kNoValue) groups_.emplace(output, node.outputs);
    }
    if (!pattern_.anchor) return;
    for (const uint32_t output : pattern_.nodes[*pattern_.anchor].outputs) {
      if (output == PatternNode::kNoValue || anchor_) continue;
      const auto& definitions = pattern_.values[output].definitions;
      if (std::ranges::count(definitions, false, &PatternValue::Definition::alias) == 1) anchor_ = output;
    }
  }

  /// `(Mul | Div)(x, y)`: the order of operands matters for one of them, so that each has a node of its own.
  bool areOneTerm(const PatternNode& a, const PatternNode& b) const {
    return a.anyOrder && !b.anyOrder && a.operands == b.operands && a.outputs == b.outputs && a.min == b.min &&
           a.max == b.max && a.moreOperands == b.moreOperands && a.attributes == b.attributes &&
           a.operators.none.empty() && b.operators.none.empty();
  }

  /// What `?` makes a value where the operator is absent.
  std::optional<uint32_t> bypassOf(const PatternNode& node) const {
    const auto found = std::ranges::find_if(
        node.operands, [&](uint32_t operand) { return pattern_.values[operand].kind != ValueKind::Constant; });
    if (found == node.operands.end() || node.outputs.size() != 1) return std::nullopt;
    return *found;
  }

  Terms termsOf(uint32_t value, size_t begin, size_t end) const {
    const auto& definitions = pattern_.values[value].definitions;
    Terms terms;
    for (size_t i = begin; i < end; ++i) {
      Term& term = terms.emplace_back();
      term.alias = definitions[i].alias;
      term.index = definitions[i].index;
      if (term.alias) continue;
      const PatternNode& node = pattern_.nodes[term.index];
      if (i + 1 < end && !definitions[i + 1].alias && areOneTerm(node, pattern_.nodes[definitions[i + 1].index]))
        term.ordered = definitions[++i].index;
      if (i + 1 < end && definitions[i + 1].alias && bypassOf(node) == definitions[i + 1].index) {
        term.optional = true;
        ++i;
      }
    }
    return terms;
  }

  void count(const Terms& terms) {
    for (const Term& term : terms) {
      if (term.alias) {
        ++uses_[term.index];
        stoodFor_[term.index] = true;
      } else {
        for (const uint32_t operand : pattern_.nodes[term.index].operands) ++uses_[operand];
      }
    }
  }

  void countUses() {
    std::set<std::vector<uint32_t>> counted;
    for (uint32_t value = 0; value < pattern_.values.size(); ++value) {
      const auto& definitions = pattern_.values[value].definitions;
      const auto group = groups_.find(value);
      Terms terms = termsOf(value, 0, definitions.size());
      // An operator with several results is written once.
      if (group != groups_.end() && !counted.insert(group->second).second)
        std::erase_if(terms, [&](const Term& term) {
          return !term.alias && pattern_.nodes[term.index].outputs == group->second;
        });
      count(terms);
    }
    for (const uint32_t result : pattern_.results) ++uses_[result];
  }

  bool needsName(uint32_t value) const {
    const PatternValue& it = pattern_.values[value];
    if (it.kind == ValueKind::Captured) return !it.optional || uses_[value] > 1 || stoodFor_[value];
    if (it.kind != ValueKind::Defined) return it.kind == ValueKind::Constant && uses_[value] > 1;
    return uses_[value] > 1 || stoodFor_[value] || it.shared || !isSingle(value) || anchor_ == value ||
           (it.definitions.size() == 1 && it.definitions.front().alias);
  }

  void giveName(uint32_t value) {
    do names_[value] = "v" + std::to_string(++lastName_);
    while (!taken_.insert(names_[value]).second);
  }

  void nameValues() {
    // What nothing uses is not written.
    for (uint32_t value = 0; value < pattern_.values.size(); ++value)
      if (names_[value].empty() && uses_[value] + (isSingle(value) ? 0 : 1) > 0 && needsName(value)) giveName(value);
    for (const uint32_t result : pattern_.results) heightOf(result);
  }

  /// How many terms are inside each other where the value is used. Names those that would be too many.
  unsigned heightOf(uint32_t value) {
    if (heights_[value]) return *heights_[value];
    heights_[value] = 0;
    if (pattern_.values[value].kind != ValueKind::Defined) return 0;
    unsigned height = 1 + heightOf(termsOf(value, 0, pattern_.values[value].definitions.size()));
    if (names_[value].empty() && height > kMostNested) giveName(value);
    if (!names_[value].empty()) height = 0;
    heights_[value] = height;
    return height;
  }

  unsigned heightOf(const Terms& terms) {
    unsigned height = 0;
    for (const Term& term : terms) {
      if (term.alias) height = std::max(height, heightOf(term.index));
      if (term.alias) continue;
      for (const uint32_t operand : pattern_.nodes[term.index].operands) height = std::max(height, heightOf(operand));
    }
    return height;
  }

  std::string constantText(const ConstantTest& constant) const {
    std::string out = "const";
    if (constant.equals) appendNumber(out += ' ', *constant.equals);
    if (constant.test) out += '(' + printExpression(*constant.test) + ')';
    return out;
  }

  std::string nodeText(const Term& term) {
    const PatternNode& node = pattern_.nodes[term.index];
    std::vector<OperatorName> any = node.operators.any;
    if (term.ordered) {
      const auto& more = pattern_.nodes[*term.ordered].operators.any;
      any.insert(any.end(), more.begin(), more.end());
    }
    std::vector<std::string> operands;
    for (const uint32_t operand : node.operands) operands.push_back(use(operand));
    if (node.moreOperands) operands.emplace_back("...");
    std::string out = operatorText(any, node.operators.none);
    if (isChain(node)) out += countText(node.min, node.max);
    out += '(' + joined(operands, ", ") + ')';
    std::vector<std::string> tests;
    for (const Expr& test : node.attributes) tests.push_back(printExpression(test));
    if (!tests.empty()) out += " { " + joined(tests, ", ") + " }";
    if (term.optional) out += '?';
    return out;
  }

  std::string text(const Term& term) { return term.alias ? use(term.index) : nodeText(term); }

  std::string text(const Terms& terms) {
    std::vector<std::string> texts;
    for (const Term& term : terms) texts.push_back(text(term));
    return listed(texts, " | ");
  }

  /// The text of a value where it is used; its statement comes first, if it has one.
  std::string use(uint32_t value) {
    const PatternValue& it = pattern_.values[value];
    if (!names_[value].empty()) {
      if (it.kind == ValueKind::Defined || it.kind == ValueKind::Constant) state(value);
      return names_[value];
    }
    if (it.kind == ValueKind::Constant) return constantText(it.constant);
    if (it.kind == ValueKind::Defined) return text(termsOf(value, 0, it.definitions.size()));
    return it.kind == ValueKind::Captured ? "_?" : "_";
  }

  /// Adds the statement that defines a value, behind those that it needs.
  void state(uint32_t value) {
    if (stated_[value]) return;
    const std::vector<uint32_t> outputs = isSingle(value) ? std::vector<uint32_t>{value} : groups_.at(value);
    std::vector<std::string> targets;
    for (const uint32_t output : outputs) {
      if (output == PatternNode::kNoValue) {
        targets.emplace_back("_");
        continue;
      }
      stated_[output] = true;
      targets.push_back(names_[output]);
    }
    const PatternValue& it = pattern_.values[value];
    const std::string definition = it.kind == ValueKind::Constant ? constantText(it.constant)
                                   : isSingle(value)              ? text(termsOf(value, 0, it.definitions.size()))
                                                                  : groupText(outputs);
    statements_.push_back((outputs.size() == 1 ? targets.front() : '(' + joined(targets, ", ") + ')') + " = " +
                          definition + ';');
    for (const uint32_t output : outputs)
      if (output != PatternNode::kNoValue && pattern_.values[output].shared) shared_.push_back(names_[output]);
  }

  /// The alternatives of several values that are defined together: operators with several results, and between them
  /// lists with terms of each value.
  std::string groupText(const std::vector<uint32_t>& outputs) {
    const auto isOfGroup = [&](const PatternValue::Definition& definition) {
      return !definition.alias && pattern_.nodes[definition.index].outputs == outputs;
    };
    std::vector<size_t> at(outputs.size(), 0);
    std::vector<std::string> alternatives;
    for (bool more = true; more;) {
      more = false;
      bool any = false;
      std::vector<std::string> lists;
      Terms shared;
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == PatternNode::kNoValue) {
          lists.emplace_back("_");
          continue;
        }
        const auto& definitions = pattern_.values[outputs[i]].definitions;
        const size_t begin = at[i];
        while (at[i] < definitions.size() && !isOfGroup(definitions[at[i]])) ++at[i];
        any = any || begin != at[i];
        lists.push_back(begin == at[i] ? std::string("_") : text(termsOf(outputs[i], begin, at[i])));
        const size_t firstOperator = at[i];
        while (at[i] < definitions.size() && isOfGroup(definitions[at[i]])) ++at[i];
        shared = termsOf(outputs[i], firstOperator, at[i]);
        more = more || at[i] < definitions.size();
      }
      if (any) alternatives.push_back('(' + joined(lists, ", ") + ')');
      for (const Term& term : shared) alternatives.push_back(text(term));
    }
    return listed(alternatives, " | ");
  }

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

}  // namespace

std::string matchText(const Pattern& pattern) { return PatternPrinter(pattern).print(); }

}  // namespace amdahlc::ir
