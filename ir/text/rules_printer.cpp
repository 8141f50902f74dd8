#include "ir/operator_set.h"
#include "ir/text.h"
#include "ir/text/expressions.h"
#include "ir/text/printers.h"

namespace amdahlc::ir {

namespace {

void printOperatorName(TextWriter& out, const OperatorName& name) {
  const auto part = [&](std::string_view text) {
    if (text == "*") {
      out << '*';
    } else {
      out.name(text);
    }
  };
  if (!name.domain.empty()) {
    part(name.domain);
    out << "::";
  }
  part(name.type);
}

void printOperatorNames(TextWriter& out, const std::vector<OperatorName>& names) {
  out.list(names, [&](const OperatorName& name) { printOperatorName(out, name); });
}

void printOperatorSet(TextWriter& out, const OperatorSet& set) {
  printOperatorNames(out, set.any);
  if (set.none.empty()) return;
  out << " but ";
  printOperatorNames(out, set.none);
}

void printExpr(TextWriter& out, const Expr& expr);

void printExprs(TextWriter& out, const std::vector<Expr>& exprs, size_t from, const char* separator) {
  for (size_t i = from; i < exprs.size(); ++i) {
    if (i != from) out << separator;
    printExpr(out, exprs[i]);
  }
}

void printExpr(TextWriter& out, const Expr& expr) {
  using Kind = Expr::Kind;
  switch (expr.kind) {
    case Kind::Int:
      out << expr.integer;
      return;
    case Kind::Float:
      out << expr.real;
      return;
    case Kind::Bool:
      out << (expr.integer != 0 ? "true" : "false");
      return;
    case Kind::String:
      out.quoted(expr.text);
      return;
    case Kind::Regex:
      out << '~';
      out.quoted(expr.text);
      return;
    case Kind::Name:
    case Kind::Call:
      if (isPlainName(expr.text) && !isExpressionWord(expr.text)) {
        out << expr.text;
      } else {
        (out << (expr.kind == Kind::Name ? "name " : "call ")).quoted(expr.text);
      }
      if (expr.kind == Kind::Name) return;
      out << '(';
      printExprs(out, expr.args, 0, ", ");
      out << ')';
      return;
    case Kind::In:
      out << '(';
      if (!expr.args.empty()) printExpr(out, expr.args.front());
      out << " in [";
      printExprs(out, expr.args, 1, ", ");
      out << "])";
      return;
    default:
      break;
  }
  const std::string spelling(findOperator(expr.kind)->spelling);
  // An operator with less than two operands is written as a call.
  const bool call = expr.args.size() < 2;
  out << (call ? spelling : "") << '(';
  printExprs(out, expr.args, 0, call ? ", " : (' ' + spelling + ' ').c_str());
  out << ')';
}

void printCount(TextWriter& out, uint32_t min, uint32_t max) {
  out << min << "..";
  if (max == 0) {
    out << '*';
  } else {
    out << max;
  }
}

void printNames(TextWriter& out, const std::vector<std::string>& names) {
  out.list(names, [&](const std::string& name) { out.name(name); });
}

/// Behind the word `applies`.
void printTargets(TextWriter& out, const Applicability& where) {
  const auto part = [&](const char* word, const std::vector<std::string>& names) {
    if (names.empty()) return;
    out << ' ' << word << ' ';
    printNames(out, names);
  };
  part("runtime", where.runtimes);
  part("vendor", where.vendors);
  part("arch", where.archs);
}

void printApplicability(TextWriter& out, const Applicability& where) {
  if (where == Applicability{}) return;
  out.line() << "applies";
  printTargets(out, where);
}

void printPatternValue(TextWriter& out, const PatternValue& value, size_t index) {
  out.line() << "value " << index << ' ';
  if (!value.name.empty()) out.quoted(value.name) << ' ';
  switch (value.kind) {
    case PatternValue::Kind::Captured:
      out << "captured";
      break;
    case PatternValue::Kind::Constant:
      out << "constant";
      break;
    case PatternValue::Kind::Any:
      out << "any";
      break;
    case PatternValue::Kind::Defined:
      out << "defined";
      break;
  }
  if (value.optional) out << " optional";
  if (value.shared) out << " shared";
  if (value.constant.equals) out << " equals " << *value.constant.equals;
  if (value.constant.test) {
    out << " test ";
    printExpr(out, *value.constant.test);
  }
  if (value.definitions.empty()) return;
  out << " by ";
  out.list(value.definitions, [&](const PatternValue::Definition& definition) {
    if (definition.alias) {
      out << "value " << definition.index;
    } else {
      out << "node " << definition.index << ':' << definition.output;
    }
  });
}

void printPatternNode(TextWriter& out, const PatternNode& node, size_t index) {
  out.line() << "node " << index << ' ';
  printOperatorSet(out, node.operators);
  if (node.min != 1 || node.max != 1) {
    out << " times ";
    printCount(out, node.min, node.max);
  }
  out << " (";
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (i != 0) out << ", ";
    out << node.operands[i];
  }
  if (node.moreOperands) out << (node.operands.empty() ? "..." : ", ...");
  out << ") -> ";
  const auto output = [&](uint32_t value) {
    if (value == PatternNode::kNoValue) {
      out << '_';
    } else {
      out << value;
    }
  };
  out.list(node.outputs, output, '(', ')');
  if (node.anyOrder) out << " any-order";
  if (node.view) out << " view";
  if (!node.attributes.empty()) {
    out << " attributes ";
    out.list(node.attributes, [&](const Expr& test) { printExpr(out, test); });
  }
}

void printPattern(TextWriter& out, const Pattern& pattern) {
  out.line() << "match";
  out.open();
  for (size_t i = 0; i < pattern.values.size(); ++i) printPatternValue(out, pattern.values[i], i);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) printPatternNode(out, pattern.nodes[i], i);
  for (const Expr& test : pattern.where) {
    out.line() << "where ";
    printExpr(out, test);
  }
  if (pattern.anchor) out.line() << "anchor " << *pattern.anchor;
  out.line() << "results ";
  out.numbers(pattern.results);
  out.close();
}

void printLaunch(TextWriter& out, const LaunchSequence& launch) {
  out.line() << (launch.anyOrder ? "launch any-order" : "launch");
  out.open();
  printApplicability(out, launch.where);
  if (!launch.operators.empty()) {
    out.line() << "operators ";
    out.list(launch.operators, [&](const std::string& name) { out.quoted(name); });
  }
  if (!launch.operatorPatterns.empty()) {
    out.line() << "operator-patterns ";
    out.list(launch.operatorPatterns, [&](const std::string& pattern) { out.quoted(pattern); });
  }
  for (const KernelStep& step : launch.steps) {
    out.line() << "step ";
    if (step.min != 1 || step.max != 1) {
      printCount(out, step.min, step.max);
      out << ' ';
    }
    printExpr(out, step.test);
  }
  out.close();
}

void printRule(TextWriter& out, const Rule& rule) {
  (out.line() << "rule @").name(rule.name);
  out.open();
  (out.line() << "label ").quoted(rule.label);
  (out.line() << "category ").name(rule.category);
  if (!rule.doc.empty()) (out.line() << "doc ").quoted(rule.doc);
  if (!rule.file.empty()) (out.line() << "file ").quoted(rule.file);
  if (rule.priority != 0) out.line() << "priority " << rule.priority;
  printApplicability(out, rule.where);
  if (rule.recompute) out.line() << "recompute";
  if (rule.generated) out.line() << "generated";
  if (rule.noDeviceWork) out.line() << "no-device-work";
  if (rule.namesOnly) out.line() << "evidence names";
  for (const Pattern& pattern : rule.patterns) printPattern(out, pattern);
  for (const LaunchSequence& launch : rule.launches) printLaunch(out, launch);
  out.close();
}

}  // namespace

std::string printRule(const Rule& rule) {
  TextWriter out;
  printRule(out, rule);
  return out.take();
}

std::string printPattern(const Pattern& pattern) {
  TextWriter out;
  printPattern(out, pattern);
  return out.take();
}

std::string printExpression(const Expr& expr) {
  TextWriter out;
  printExpr(out, expr);
  std::string text = out.take();
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void printRuleSet(TextWriter& out, const RuleSet& rules, const IdVector<RuleId, bool>& wanted) {
  out.line() << "rules";
  out.open();
  if (!isEmpty(rules.hidden)) {
    out.line() << "hidden ";
    printOperatorSet(out, rules.hidden);
  }
  for (const Views& views : rules.views) {
    out.line() << "views ";
    printOperatorNames(out, views.operators);
    if (views.where == Applicability{}) continue;
    out << " applies";
    printTargets(out, views.where);
  }
  for (const RuleId rule : rules.rules.ids()) {
    if (wanted[rule]) printRule(out, rules.rules[rule]);
  }
  out.close();
}

}  // namespace amdahlc::ir
