// Rules as normalised text of the rule language: each is one declaration that says all about it.
#include <algorithm>
#include <ranges>
#include <set>
#include <string>
#include <vector>

#include "ir/text.h"
#include "ir/text/printers.h"
#include "ir/text/rule_words.h"
#include "support/utf8.h"

namespace amdahlc::ir {

namespace {

std::string namesText(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : " | ") + ruleName(name);
  return out;
}

/// ` runtime pytorch on nvidia arch "sm_80+"`.
std::string conditionText(const Applicability& where) {
  std::string out;
  const auto part = [&](std::string_view word, const std::vector<std::string>& names) {
    if (!names.empty()) out.append(" ").append(word).append(" ").append(namesText(names));
  };
  part("runtime", where.runtimes);
  part("on", where.vendors);
  part("arch", where.archs);
  return out;
}

std::string operatorList(const std::vector<OperatorName>& names) {
  std::string out;
  for (const OperatorName& name : names) out += (out.empty() ? "" : ", ") + operatorWord(name);
  return out;
}

std::string stepText(const KernelStep& step) {
  const std::string count = step.min == 0 && step.max == 1 ? "?" : countText(step.min, step.max);
  return printExpression(step.test, !count.empty()) + count;
}

std::string launchText(const LaunchSequence& launch) {
  std::string out;
  for (const KernelStep& step : launch.steps) out += (out.empty() ? "" : "; ") + stepText(step);
  if (launch.anyOrder || launch.steps.size() != 1)
    out = std::string(launch.anyOrder ? "set " : "").append("{ ").append(out).append(" }");
  std::string operators;
  for (const std::string& name : launch.operators) operators += (operators.empty() ? "" : " | ") + quotedString(name);
  for (const std::string& regex : launch.operatorPatterns)
    operators += (operators.empty() ? "" : " | ") + regexLiteral(regex);
  if (!operators.empty()) out += " for op " + operators;
  return out + conditionText(launch.where);
}

/// A comment has no escapes: control characters become question marks.
void printDoc(TextWriter& out, std::string_view doc) {
  for (const auto part : std::views::split(doc, '\n')) {
    std::string_view line(part.begin(), part.end());
    out.line() << (line.empty() ? "///" : "/// ");
    while (!line.empty()) {
      const size_t control = line.front() == '\t' ? 0 : utf8::controlLength(line);
      out << (control == 0 ? line.front() : '?');
      line.remove_prefix(std::max(control, size_t{1}));
    }
  }
}

void printRule(TextWriter& out, const Rule& rule) {
  printDoc(out, rule.doc);
  out.line() << "kernel " << ruleName(rule.name);
  if (rule.category != kOtherCategory) out << " : " << ruleName(rule.category);
  out.open();
  if (rule.label != rule.name) (out.line() << "label ").quoted(rule.label) << ';';
  if (rule.priority != 0) out.line() << "priority " << rule.priority << ';';
  const auto applies = [&](const char* word, const std::vector<std::string>& names) {
    if (!names.empty()) out.line() << word << ' ' << namesText(names) << ';';
  };
  applies("runtime", rule.where.runtimes);
  applies("vendor", rule.where.vendors);
  applies("arch", rule.where.archs);
  if (rule.recompute) out.line() << "recompute;";
  if (rule.generated) out.line() << "generated;";
  if (rule.namesOnly) out.line() << "evidence names;";
  for (const Pattern& pattern : rule.patterns) {
    out.line() << (&pattern == &rule.patterns.front() ? "" : "or ");
    out.rest(matchText(pattern));
    if (&pattern == &rule.patterns.back()) out << ';';
  }
  for (const LaunchSequence& launch : rule.launches) {
    out.line() << (&launch == &rule.launches.front() ? "runs as " : "or as ") << launchText(launch);
    if (&launch == &rule.launches.back()) out << ';';
  }
  if (rule.noDeviceWork) out.line() << "runs as nothing;";
  out.close();
}

/// Writes a lowering on one line. An operator whose result is read once is written where it is read; any other has a
/// statement.
class LoweringPrinter {
 public:
  explicit LoweringPrinter(const Lowering& lowering) : lowering_(lowering), uses_(lowering.ops.size()) {
    for (const Lowering::Operator& op : lowering.ops)
      for (const Lowering::Operand& operand : op.operands)
        if (operand.kind == Lowering::Operand::Kind::Result) ++uses_[operand.index];
    for (const Lowering::Parameter& parameter : lowering.parameters) taken_.insert(parameter.name);
    rest_ = freshName("xs");
  }

  std::string print() {
    std::string out = "lower ";
    for (const std::string& call : lowering_.calls)
      out.append(&call == &lowering_.calls.front() ? "" : " | ").append(quotedString(call));
    std::string parameters;
    const auto add = [&](const std::string& text) { parameters.append(parameters.empty() ? "" : ", ").append(text); };
    const auto addParameters = [&](bool behindMore) {
      for (const Lowering::Parameter& one : lowering_.parameters)
        if (one.behindMore == behindMore)
          add(one.kind == Lowering::Parameter::Kind::Any
                  ? "_"
                  : (one.kind == Lowering::Parameter::Kind::Constant ? "const " : "") + one.name +
                        (one.optional ? "?" : ""));
    };
    addParameters(false);
    if (lowering_.moreTensors) add((lowering_.passesMore ? rest_ : "") + "...");
    addParameters(true);
    out += '(' + parameters + ')';
    std::string statements;
    std::vector<std::string> texts;
    std::vector<unsigned> heights;
    for (const Lowering::Operator& op : lowering_.ops) {
      const bool isLast = &op == &lowering_.ops.back();
      std::string operands;
      unsigned height = 0;
      for (const Lowering::Operand& operand : op.operands) {
        const bool isResult = operand.kind == Lowering::Operand::Kind::Result;
        if (isResult) height = std::max(height, heights[operand.index]);
        operands.append(operands.empty() ? "" : ", ");
        operands += isResult ? texts[operand.index] : lowering_.parameters[operand.index].name;
      }
      if (isLast && lowering_.passesMore) operands.append(operands.empty() ? "" : ", ").append(rest_ + "...");
      std::string text = operatorWord(op.name) + '(' + operands + ')';
      for (const Lowering::Attribute& attribute : op.attributes) {
        text += &attribute == &op.attributes.front() ? " { " : ", ";
        text += attribute.name + " = " + printExpression(attribute.value);
      }
      if (!op.attributes.empty()) text += " }";
      ++height;
      if (!isLast && (uses_[texts.size()] > 1 || height > kMostNested)) {
        const std::string name = freshName("v" + std::to_string(taken_.size()));
        statements.append(" ").append(name).append(" = ").append(text).append(";");
        text = name;
        height = 0;
      }
      texts.push_back(std::move(text));
      heights.push_back(height);
    }
    if (!statements.empty()) out += " {" + statements + " }";
    return out + " -> " + texts.back() + conditionText(lowering_.where) + ';';
  }

 private:
  std::string freshName(std::string name) {
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

  const Lowering& lowering_;
  std::vector<unsigned> uses_;
  std::set<std::string> taken_;
  std::string rest_;
};

}  // namespace

std::string printLowering(const Lowering& lowering) { return LoweringPrinter(lowering).print() + '\n'; }

std::string printRule(const Rule& rule) {
  TextWriter out;
  printRule(out, rule);
  return out.take();
}

std::string printPattern(const Pattern& pattern) { return matchText(pattern) + '\n'; }

std::string printRuleSet(const RuleSet& rules, const IdVector<RuleId, bool>& wanted) {
  TextWriter out;
  out.line() << "akp 1;";
  if (!rules.hidden.any.empty()) out.line() << "hidden " << operatorList(rules.hidden.any) << ';';
  for (size_t i = 0; i < rules.views.size(); ++i) {
    const Views& views = rules.views[i];
    if (views.operators.empty()) continue;
    out.line() << "views " << kViewClass;
    if (i != 0) out << i + 1;
    out << conditionText(views.where) << " { " << operatorList(views.operators) << " }";
  }
  for (const RuleId rule : rules.rules.ids()) {
    if (!wanted[rule]) continue;
    out.blankLine();
    printRule(out, rules.rules[rule]);
  }
  return out.take();
}

std::string printRules(const RuleSet& rules) {
  std::string out = printRuleSet(rules, IdVector<RuleId, bool>(rules.rules.size(), true));
  if (!rules.lowerings.empty()) out += '\n';
  for (const Lowering& lowering : rules.lowerings) out += printLowering(lowering);
  return out;
}

}  // namespace amdahlc::ir
