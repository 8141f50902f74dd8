#include "passes/fuse/rule_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "ir/applicability.h"
#include "ir/verifier.h"

namespace amdahlc {

using expression::Context;
using expression::Expression;
using ir::Pattern;
using ir::PatternNode;
using ir::PatternValue;

namespace {

void collectNames(const ir::OperatorSet& set, std::set<ir::OperatorName>& names) {
  for (const auto* list : {&set.any, &set.none}) {
    names.insert(list->begin(), list->end());
  }
}

}  // namespace

RuleIndex::RuleIndex(const ir::Module& module) {
  classify(module);
  declaresViews_ = !module.rules.views.empty();
  for (const ir::RuleId id : module.rules.rules.ids()) {
    const ir::Rule& rule = module.rules.rules[id];
    // In a pattern with one result, every operator leads to the root. Then no other operator can be the root of the
    // same set.
    mayRepeat_.push_back(rule.patterns.size() > 1 ||
                         (rule.patterns.size() == 1 && rule.patterns[0].results.size() > 1));
    if (rule.generated || !isApplicable(module, rule)) continue;
    const uint32_t uncounted = uncountedFor(module, rule.where);
    const size_t first = patterns_.size();
    for (uint32_t alternative = 0; alternative < rule.patterns.size(); ++alternative) compile(rule, id, alternative);
    for (size_t i = first; i < patterns_.size(); ++i) patterns_[i].uncounted = uncounted;
  }
  indexRoots();
}

/// Views count for a rule if they hold on all known targets where the rule applies.
uint32_t RuleIndex::uncountedFor(const ir::Module& module, const ir::Applicability& where) {
  const auto known = std::find(applicabilities_.begin(), applicabilities_.end(), where);
  const auto index = static_cast<uint32_t>(known - applicabilities_.begin());
  if (known != applicabilities_.end()) return index;
  applicabilities_.push_back(where);
  ClassSet& set = uncounted_.emplace_back(classes_.size());
  set.add(classesOf(module.rules.hidden));
  const std::vector<Target> targets = knownTargets(module);
  for (const ir::Views& views : module.rules.views)
    if (ir::admitCommonTarget(views.where, where) &&
        std::all_of(targets.begin(), targets.end(),
                    [&](const Target& target) { return !applies(where, target) || applies(views.where, target); }))
      set.add(classesOf({views.operators, {}}));
  return index;
}

void RuleIndex::classify(const ir::Module& module) {
  std::set<ir::OperatorName> names;
  for (const ir::Rule& rule : module.rules.rules) {
    for (const Pattern& pattern : rule.patterns) {
      for (const PatternNode& node : pattern.nodes) collectNames(node.operators, names);
    }
  }
  collectNames(module.rules.hidden, names);
  for (const ir::Views& views : module.rules.views) collectNames({views.operators, {}}, names);

  std::set<std::string_view> domains, typesOfAnyDomain;
  for (const ir::OperatorName& name : names) {
    if (name.domain == "*") {
      typesOfAnyDomain.insert(name.type);
    } else {
      domains.insert(name.domain);
    }
  }
  // The class of an operator depends on its (domain, type) only. Each such pair of the module is looked up once.
  std::map<std::pair<uint32_t, uint32_t>, OperatorClass> bySymbols;
  std::map<ir::OperatorName, OperatorClass> byName;
  classOf_.resize(module.ops.size());
  for (const ir::OpId op : module.ops.ids()) {
    const std::pair symbols{module.ops[op].domain.index, module.ops[op].type.index};
    auto [found, added] = bySymbols.try_emplace(symbols, 0);
    if (added) {
      ir::OperatorName name{std::string(module.text(module.ops[op].domain)),
                            std::string(module.text(module.ops[op].type))};
      const bool named = names.contains(name) || typesOfAnyDomain.contains(name.type);
      if (!named) name.type = "*";
      if (!domains.contains(name.domain)) name.domain = "*";
      const auto [slot, fresh] = byName.try_emplace(name, static_cast<OperatorClass>(classes_.size()));
      if (fresh) classes_.push_back(name);
      found->second = slot->second;
    }
    classOf_[op] = found->second;
  }
}

ClassSet RuleIndex::classesOf(const ir::OperatorSet& set) const {
  ClassSet result(classes_.size());
  // A set contains all operators of a class or none, by the construction of classes.
  for (OperatorClass c = 0; c < classes_.size(); ++c) {
    if (ir::contains(set, classes_[c].domain, classes_[c].type)) result.insert(c);
  }
  return result;
}

namespace {

/// By value: whether it is captured, used by one operand only, and read by no condition. Such operands may be
/// exchanged.
std::vector<bool> interchangeable(const Pattern& pattern, const std::vector<Expression>& conditions) {
  std::vector<uint32_t> uses(pattern.values.size(), 0);
  for (const PatternNode& node : pattern.nodes) {
    for (const uint32_t operand : node.operands) ++uses[operand];
  }
  for (const PatternValue& value : pattern.values) {
    for (const auto& definition : value.definitions) {
      if (definition.alias) ++uses[definition.index];
    }
  }
  for (const uint32_t result : pattern.results) ++uses[result];
  for (const Expression& condition : conditions) {
    for (const uint32_t value : condition.values()) uses[value] += 2;
  }
  std::vector<bool> free(pattern.values.size());
  for (uint32_t value = 0; value < pattern.values.size(); ++value) {
    const PatternValue& source = pattern.values[value];
    free[value] =
        source.kind == PatternValue::Kind::Any || (source.kind == PatternValue::Kind::Captured && uses[value] == 1);
  }
  return free;
}

}  // namespace

void RuleIndex::compile(const ir::Rule& rule, ir::RuleId id, uint32_t alternative) {
  const Pattern& pattern = rule.patterns[alternative];
  CompiledPattern compiled;
  compiled.rule = id;
  compiled.alternative = alternative;
  compiled.pattern = &pattern;
  compiled.result.resize(pattern.values.size());
  for (const uint32_t result : pattern.results) compiled.result[result] = true;
  for (uint32_t value = 0; value < pattern.values.size(); ++value) {
    if (pattern.values[value].shared) compiled.result[value] = true;
    auto& test = compiled.constantTests.emplace_back();
    if (pattern.values[value].constant.test) test.emplace(*pattern.values[value].constant.test, Context::Constant);
  }
  for (const ir::Expr& condition : pattern.where)
    compiled.where.emplace_back(condition, Context::Where, pattern.values);
  for (const PatternNode& node : pattern.nodes) {
    CompiledNode& ready = compiled.nodes.emplace_back();
    ready.operators = classesOf(node.operators);
    ready.chain = node.min != 1 || node.max != 1;
    for (const ir::Expr& attribute : node.attributes) ready.attributes.emplace_back(attribute, Context::Attribute);
  }
  const std::vector<bool> free = interchangeable(pattern, compiled.where);
  for (size_t node = 0; node < pattern.nodes.size(); ++node) {
    const auto& operands = pattern.nodes[node].operands;
    compiled.nodes[node].bothOrders =
        pattern.nodes[node].anyOrder && !operands.empty() && operands.size() <= 2 &&
        !std::all_of(operands.begin(), operands.end(), [&](uint32_t value) { return free[value]; });
  }
  const ir::Producers roots = ir::producersOf(pattern, pattern.results.front());
  compiled.roots = ClassSet(classes_.size());
  for (const uint32_t node : roots.nodes) compiled.roots.add(compiled.nodes[node].operators);
  compiled.rootOutputs.assign(roots.outputs.begin(), roots.outputs.end());
  if (roots.nodes.size() == 1) addRequiredProducers(*roots.nodes.begin(), compiled);
  patterns_.push_back(std::move(compiled));
}

void RuleIndex::addRequiredProducers(uint32_t root, CompiledPattern& compiled) const {
  const Pattern& pattern = *compiled.pattern;
  if (compiled.nodes[root].chain) return;
  for (uint32_t operand = 0; operand < pattern.nodes[root].operands.size(); ++operand) {
    const ir::Producers producers = ir::producersOf(pattern, pattern.nodes[root].operands[operand]);
    if (producers.orNothing || producers.nodes.empty()) continue;
    RequiredProducer& required = compiled.requiredProducers.emplace_back();
    required.operand = operand;
    required.eitherOrder = compiled.nodes[root].bothOrders && operand < 2;
    required.producers = ClassSet(classes_.size());
    for (const uint32_t node : producers.nodes) required.producers.add(compiled.nodes[node].operators);
  }
}

void RuleIndex::indexRoots() {
  for (OperatorClass c = 0; c < classes_.size(); ++c) {
    for (uint32_t pattern = 0; pattern < patterns_.size(); ++pattern) {
      if (patterns_[pattern].roots.contains(c)) rooted_.append(pattern);
    }
    rooted_.endRow();
  }
}

}  // namespace amdahlc
