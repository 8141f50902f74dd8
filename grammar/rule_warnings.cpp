#include "grammar/rule_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/expressions.h"
#include "ir/text.h"

namespace amdahlc::grammar {
namespace {

using Kind = ir::Expr::Kind;

/// What a pattern matches, independent of names and conditions.
ir::Pattern shapeOf(ir::Pattern pattern) {
  for (ir::PatternValue& value : pattern.values) value.name.clear();
  for (ir::PatternNode& node : pattern.nodes) node.view = false;
  pattern.anchor.reset();
  pattern.where.clear();
  return pattern;
}

/// Equal for equal shapes; others rarely have the same.
std::string keyOf(const ir::Pattern& pattern) {
  std::string out;
  for (const ir::PatternNode& node : pattern.nodes) {
    for (const auto& name : node.operators.any) out += "+" + name.type;
    out += fmt::format("{}..{}({})", node.min, node.max, fmt::join(node.operands, ","));
    for (const ir::Expr& test : node.attributes) out += ir::printExpression(test);
  }
  for (const ir::PatternValue& value : pattern.values) {
    if (value.constant.equals) out += fmt::format("={}", *value.constant.equals);
    if (value.constant.test) out += ir::printExpression(*value.constant.test);
  }
  return out;
}

std::string keyOf(const ir::LaunchSequence& launch) {
  std::string out;
  for (const ir::KernelStep& step : launch.steps) out += ";" + ir::printExpression(step.test);
  return out;
}

void conjuncts(const ir::Expr& expr, std::vector<const ir::Expr*>& into) {
  if (expr.kind != Kind::And) {
    into.push_back(&expr);
    return;
  }
  for (const ir::Expr& arg : expr.args) conjuncts(arg, into);
}

/// The values of one expression that the conditions allow: a range of numbers, a set of words.
struct Allowed {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool lowOpen = false, highOpen = false;
  std::optional<std::set<std::string>> words;
  const ir::Expr* first = nullptr;

  bool empty() const { return low > high || (low == high && (lowOpen || highOpen)) || (words && words->empty()); }
  void intersect(const Allowed& other) {
    if (other.low > low || (other.low == low && other.lowOpen)) low = other.low, lowOpen = other.lowOpen;
    if (other.high < high || (other.high == high && other.highOpen)) high = other.high, highOpen = other.highOpen;
    if (!words)
      words = other.words;
    else if (other.words)
      std::erase_if(*words, [&](const std::string& word) { return !other.words->contains(word); });
  }
};

bool isNumber(const ir::Expr& expr) { return expr.kind == Kind::Int || expr.kind == Kind::Float; }
double numberOf(const ir::Expr& expr) { return expr.kind == Kind::Int ? static_cast<double>(expr.integer) : expr.real; }
bool isWord(const ir::Expr& expr) { return expr.kind == Kind::String || expr.kind == Kind::Name; }

Kind mirrored(Kind kind) {
  for (const auto& [less, greater] : {std::pair{Kind::Lt, Kind::Gt}, {Kind::Le, Kind::Ge}}) {
    if (kind == less) return greater;
    if (kind == greater) return less;
  }
  return kind;
}

/// A condition that contradicts an earlier one, and the earlier one; both null where no contradiction is found.
std::pair<const ir::Expr*, const ir::Expr*> contradiction(const std::vector<ir::Expr>& conditions) {
  std::vector<const ir::Expr*> all;
  for (const ir::Expr& condition : conditions) conjuncts(condition, all);
  std::map<std::string, Allowed> allowed;
  std::map<std::string, const ir::Expr*> held;
  for (const ir::Expr* condition : all) {
    if (condition->kind == Kind::Bool && condition->integer == 0) return {condition, condition};
    const bool negated = condition->kind == Kind::Not;
    const std::string opposite =
        negated ? "+" + ir::printExpression(condition->args[0]) : "-" + ir::printExpression(*condition);
    if (const auto found = held.find(opposite); found != held.end()) return {condition, found->second};
    held.emplace(negated ? "-" + ir::printExpression(condition->args[0]) : "+" + ir::printExpression(*condition),
                 condition);

    Kind kind = condition->kind;
    const ir::Expr* tested = condition->args.empty() ? nullptr : &condition->args[0];
    Allowed other;
    if (kind == Kind::In) {
      std::set<std::string> words;
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (size_t i = 1; i < condition->args.size(); ++i)
        if (isWord(condition->args[i]))
          words.insert(condition->args[i].text);
        else if (isNumber(condition->args[i]))
          low = std::min(low, numberOf(condition->args[i])), high = std::max(high, numberOf(condition->args[i]));
        else
          return {nullptr, nullptr};
      if (!words.empty())
        other.words = std::move(words);
      else
        other.low = low, other.high = high;
    } else if (kind == Kind::Eq || kind == Kind::Lt || kind == Kind::Le || kind == Kind::Gt || kind == Kind::Ge) {
      const ir::Expr* bound = &condition->args[1];
      if (isNumber(*tested)) std::swap(tested, bound), kind = mirrored(kind);
      if (isNumber(*bound)) {
        if (kind == Kind::Eq || kind == Kind::Ge || kind == Kind::Gt) other.low = numberOf(*bound);
        if (kind == Kind::Eq || kind == Kind::Le || kind == Kind::Lt) other.high = numberOf(*bound);
        other.lowOpen = kind == Kind::Gt, other.highOpen = kind == Kind::Lt;
      } else if (kind == Kind::Eq && ((isWord(*bound) && !isWord(*tested)) || bound->kind == Kind::String)) {
        other.words = {bound->text};
      } else {
        continue;
      }
    } else {
      continue;
    }
    Allowed& left = allowed[ir::printExpression(*tested)];
    left.intersect(other);
    if (left.empty()) return {condition, left.first};
    if (left.first == nullptr) left.first = condition;
  }
  return {nullptr, nullptr};
}

void warnContradiction(const std::vector<ir::Expr>& conditions, std::string_view what, DiagnosticEngine& diagnostics) {
  const auto [second, first] = contradiction(conditions);
  if (second == nullptr) return;
  auto report = diagnostics.warning(
      DiagId::AkpNeverMatches, second->range,
      fmt::format("never matches: {}", first == second ? "the condition is false" : std::string(what)));
  if (first != nullptr && first != second) report.secondary(first->range, "excludes it");
}

void everyRegex(const ir::Expr& expr, std::vector<const ir::Expr*>& into) {
  if (expr.kind == Kind::Not) return;
  if (expr.kind == Kind::Regex) into.push_back(&expr);
  for (const ir::Expr& arg : expr.args) everyRegex(arg, into);
}

bool testsNothing(const ir::Expr& test, Regexes& regexes) {
  const auto nothing = [&](const ir::Expr& arg) { return testsNothing(arg, regexes); };
  if (test.kind == Kind::Regex) return regexes.matchesEveryName(test.text, false);
  if (test.kind == Kind::Or) return std::ranges::any_of(test.args, nothing);
  if (test.kind == Kind::And) return std::ranges::all_of(test.args, nothing);
  return test.kind == Kind::Bool && test.integer != 0;
}

void warnAboutLaunches(const ir::Rule& rule, Regexes& regexes, DiagnosticEngine& diagnostics) {
  for (const ir::LaunchSequence& launch : rule.launches) {
    for (const ir::KernelStep& step : launch.steps)
      warnContradiction({step.test}, "no kernel satisfies both tests", diagnostics);
    if (!launch.steps.empty() &&
        std::ranges::all_of(launch.steps, [&](const auto& step) { return testsNothing(step.test, regexes); })) {
      std::vector<const ir::Expr*> found;
      everyRegex(launch.steps.front().test, found);
      diagnostics.warning(
          DiagId::AkpMatchesEverything, found.empty() ? launch.steps.front().test.range : found.front()->range,
          fmt::format("kernel pattern of rule `{}` matches every kernel; a rule without `runs as` accepts any event",
                      rule.name));
    }
    for (const std::string& pattern : launch.operatorPatterns)
      if (regexes.matchesEveryName(pattern, true))
        diagnostics.warning(DiagId::AkpMatchesEverything, rule.range,
                            fmt::format("`for op /{}/` matches every framework operator; remove it", pattern));
    if (!ir::admitCommonTarget(rule.where, launch.where)) {
      const bool ofVendors = !ir::admitCommonTarget({{}, rule.where.vendors, {}}, {{}, launch.where.vendors, {}});
      diagnostics.warning(DiagId::AkpNeverMatches, launch.steps.empty() ? rule.range : launch.steps.front().test.range,
                          fmt::format("never runs: rule `{}` applies to {}, this alternative to {}", rule.name,
                                      fmt::join(ofVendors ? rule.where.vendors : rule.where.runtimes, " or "),
                                      fmt::join(ofVendors ? launch.where.vendors : launch.where.runtimes, " or ")));
    }
  }
}

bool covers(const std::vector<std::string>& a, const std::vector<std::string>& b) { return a.empty() || a == b; }

/// Whether `first` applies wherever `second` does, and has all of its launch sequences.
bool runsAs(const ir::Rule& first, const ir::Rule& second) {
  if (first.noDeviceWork != second.noDeviceWork || first.namesOnly != second.namesOnly ||
      first.generated != second.generated)
    return false;
  if (!covers(first.where.vendors, second.where.vendors) || !covers(first.where.runtimes, second.where.runtimes) ||
      !covers(first.where.archs, second.where.archs))
    return false;
  if (first.launches.empty()) return true;
  return !second.launches.empty() && std::ranges::all_of(second.launches, [&](const auto& launch) {
    return std::ranges::find(first.launches, launch) != first.launches.end();
  });
}

void warnShadowed(const ir::RuleSet& set, DiagnosticEngine& diagnostics) {
  // Rules by each pair of a pattern and a launch sequence, so that few are compared. Preferred ones come first.
  const auto rules = set.rules.ids();
  std::vector<ir::RuleId> order(rules.begin(), rules.end());
  std::ranges::sort(order, [&](ir::RuleId a, ir::RuleId b) { return ir::precedence(set, a) < ir::precedence(set, b); });
  std::map<std::string, std::vector<ir::RuleId>> index;
  IdVector<ir::RuleId, std::vector<ir::Pattern>> shapes(set.rules.size());
  for (const ir::RuleId r : order) {
    for (const ir::Pattern& pattern : set.rules[r].patterns) {
      const std::string key = keyOf(pattern);
      shapes[r].push_back(shapeOf(pattern));
      if (set.rules[r].launches.empty()) index[key].push_back(r);
      for (const ir::LaunchSequence& launch : set.rules[r].launches) index[key + keyOf(launch)].push_back(r);
    }
  }
  auto covered = [&](ir::RuleId first, ir::RuleId second) {
    const std::vector<ir::Pattern>&patterns = set.rules[first].patterns, &others = set.rules[second].patterns;
    for (size_t p = 0; p < others.size(); ++p) {
      bool found = false;
      for (size_t q = 0; q < patterns.size() && !found; ++q)
        found = (patterns[q].where.empty() || (patterns[q].where == others[p].where && patterns[q] == others[p])) &&
                shapes[first][q] == shapes[second][p];
      if (!found) return false;
    }
    return true;
  };
  auto shadowing = [&](ir::RuleId second, const std::string& key) -> std::optional<ir::RuleId> {
    const auto entries = index.find(key);
    if (entries == index.end()) return std::nullopt;
    for (const ir::RuleId first : entries->second) {
      if (!(ir::precedence(set, first) < ir::precedence(set, second))) break;
      if (runsAs(set.rules[first], set.rules[second]) && covered(first, second)) return first;
    }
    return std::nullopt;
  };
  for (const ir::RuleId second : set.rules.ids()) {
    const ir::Rule& rule = set.rules[second];
    if (rule.patterns.empty()) continue;
    const std::string key = keyOf(rule.patterns.front());
    auto first = shadowing(second, key);
    if (!first && !rule.launches.empty()) first = shadowing(second, key + keyOf(rule.launches.front()));
    if (!first) continue;
    diagnostics
        .warning(DiagId::AkpShadowed, rule.range,
                 fmt::format("rule `{}` is never chosen; rule `{}` matches the same operators and precedes it",
                             rule.name, set.rules[*first].name))
        .secondary(set.rules[*first].range, "precedes it");
  }
}

}  // namespace

void warnAboutRules(const ir::RuleSet& rules, Regexes& regexes, DiagnosticEngine& diagnostics) {
  for (const ir::Rule& rule : rules.rules) {
    for (const ir::Pattern& pattern : rule.patterns) {
      warnContradiction(pattern.where, "the conditions exclude each other", diagnostics);
      for (const ir::PatternNode& node : pattern.nodes)
        warnContradiction(node.attributes, "the attribute tests exclude each other", diagnostics);
      for (const ir::PatternValue& value : pattern.values)
        if (value.constant.test)
          warnContradiction({*value.constant.test}, "no constant satisfies both tests", diagnostics);
    }
    warnAboutLaunches(rule, regexes, diagnostics);
  }
  warnShadowed(rules, diagnostics);
}

}  // namespace amdahlc::grammar
