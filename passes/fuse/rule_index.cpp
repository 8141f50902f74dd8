#include "passes/fuse/rule_index.h"
#include "passes/fuse/applicability.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace amdahlc {

using expression::Context;
using expression::Expression;
using ir::Pattern;
using ir::PatternNode;
using ir::PatternValue;

namespace {

std::string_view canonicalDomain(std::string_view domain) { return domain == "ai.onnx" ? std::string_view() : domain; }

void collectNames(const ir::OperatorSet& set, std::set<ir::OperatorName>& names) {
  for (const auto* list : {&set.any, &set.none}) {
    for (const ir::OperatorName& name : *list) names.insert({std::string(canonicalDomain(name.domain)), name.type});
  }
}

/// Whether `name` covers the operators of the class. It covers all of them or none, by the construction of classes.
bool covers(const ir::OperatorName& name, const ir::OperatorName& operatorClass) {
  const bool domain = name.domain == "*" || canonicalDomain(name.domain) == operatorClass.domain;
  return domain && (name.type == "*" || name.type == operatorClass.type);
}

}  // namespace

RuleIndex::RuleIndex(const ir::Module& module) {
  classify(module);
  uncounted_ = ClassSet(classes_.size());
  if (!module.rules.hidden.any.empty() || !module.rules.hidden.none.empty())
    uncounted_.add(classesOf(module.rules.hidden));
  uncounted_.add(classesOf({module.rules.views, {}}));
  for (const ir::RuleId id : module.rules.rules.ids()) {
    const ir::Rule& rule = module.rules.rules[id];
    // In a pattern with one result, every operator leads to the root. Then no other operator can be the root of the
    // same set.
    mayRepeat_.push_back(rule.patterns.size() > 1 ||
                         (rule.patterns.size() == 1 && rule.patterns[0].results.size() > 1));
    if (!isApplicable(module, rule)) continue;
    for (uint32_t alternative = 0; alternative < rule.patterns.size(); ++alternative) compile(rule, id, alternative);
  }
  indexRoots();
}

void RuleIndex::classify(const ir::Module& module) {
  std::set<ir::OperatorName> names;
  for (const ir::Rule& rule : module.rules.rules) {
    for (const Pattern& pattern : rule.patterns) {
      for (const PatternNode& node : pattern.nodes) collectNames(node.operators, names);
    }
  }
  collectNames(module.rules.hidden, names);
  collectNames({module.rules.views, {}}, names);

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
  std::pair<uint32_t, uint32_t> lastSymbols{ir::kNoIndex, ir::kNoIndex};
  OperatorClass lastClass = 0;
  for (const ir::OpId op : module.ops.ids()) {
    const std::pair symbols{module.ops[op].domain.index, module.ops[op].type.index};
    if (symbols == lastSymbols) {
      classOf_[op] = lastClass;
      continue;
    }
    auto [found, added] = bySymbols.try_emplace(symbols, 0);
    if (added) {
      ir::OperatorName name{std::string(canonicalDomain(module.text(module.ops[op].domain))),
                            std::string(module.text(module.ops[op].type))};
      const bool named = names.contains(name) || typesOfAnyDomain.contains(name.type);
      if (!named) name.type = "*";
      if (!domains.contains(name.domain)) name.domain = "*";
      const auto [slot, fresh] = byName.try_emplace(name, static_cast<OperatorClass>(classes_.size()));
      if (fresh) classes_.push_back(name);
      found->second = slot->second;
    }
    lastSymbols = symbols;
    lastClass = classOf_[op] = found->second;
  }
}

ClassSet RuleIndex::classesOf(const ir::OperatorSet& set) const {
  ClassSet result(classes_.size());
  const auto covered = [](const std::vector<ir::OperatorName>& names, const ir::OperatorName& operatorClass) {
    return std::any_of(names.begin(), names.end(),
                       [&](const ir::OperatorName& name) { return covers(name, operatorClass); });
  };
  for (OperatorClass c = 0; c < classes_.size(); ++c) {
    const bool wanted = set.any.empty() ? !set.none.empty() : covered(set.any, classes_[c]);
    if (wanted && !covered(set.none, classes_[c])) result.insert(c);
  }
  return result;
}

bool isWellFormed(const Pattern& pattern) {
  const auto isValue = [&](uint32_t value) { return value < pattern.values.size(); };
  for (const PatternValue& value : pattern.values) {
    for (const auto& definition : value.definitions) {
      if (definition.index >= (definition.alias ? pattern.values.size() : pattern.nodes.size())) return false;
    }
  }
  for (const PatternNode& node : pattern.nodes) {
    if (!std::all_of(node.operands.begin(), node.operands.end(), isValue)) return false;
    for (const uint32_t output : node.outputs) {
      if (output != PatternNode::kNoValue && !isValue(output)) return false;
    }
    if (node.max != 0 && node.max < std::max(node.min, 1u)) return false;
    if (node.min == 0 && node.operands.empty()) return false;
  }
  if (pattern.anchor && *pattern.anchor >= pattern.nodes.size()) return false;
  return !pattern.results.empty() && std::all_of(pattern.results.begin(), pattern.results.end(), isValue);
}

namespace {

/// The nodes that can produce a value of a pattern, and the output of each.
struct Producers {
  std::set<uint32_t> nodes;
  std::set<uint32_t> outputs;
  /// The value may also come from outside the match.
  bool orNothing = false;
};

Producers producersOf(const Pattern& pattern, uint32_t made) {
  Producers producers;
  std::vector<bool> seen(pattern.values.size(), false);
  std::vector<uint32_t> pending{made};
  while (!pending.empty()) {
    const uint32_t value = pending.back();
    pending.pop_back();
    if (seen[value]) continue;
    seen[value] = true;
    producers.orNothing |= pattern.values[value].kind != PatternValue::Kind::Defined;
    for (const auto& definition : pattern.values[value].definitions) {
      if (definition.alias) {
        pending.push_back(definition.index);
        continue;
      }
      producers.nodes.insert(definition.index);
      producers.outputs.insert(definition.output);
      const PatternNode& node = pattern.nodes[definition.index];
      if (node.min == 0) pending.push_back(node.operands.front());
    }
  }
  return producers;
}

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
  if (!isWellFormed(pattern)) return;
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
  const Producers roots = producersOf(pattern, pattern.results.front());
  compiled.roots = ClassSet(classes_.size());
  for (const uint32_t node : roots.nodes) compiled.roots.add(compiled.nodes[node].operators);
  compiled.rootOutputs.assign(roots.outputs.begin(), roots.outputs.end());
  if (roots.nodes.size() == 1) addRequiredProducers(compiled);
  patterns_.push_back(std::move(compiled));
}

void RuleIndex::addRequiredProducers(CompiledPattern& compiled) const {
  const Pattern& pattern = *compiled.pattern;
  const uint32_t root = *producersOf(pattern, pattern.results.front()).nodes.begin();
  if (compiled.nodes[root].chain) return;
  for (uint32_t operand = 0; operand < pattern.nodes[root].operands.size(); ++operand) {
    const Producers producers = producersOf(pattern, pattern.nodes[root].operands[operand]);
    if (producers.orNothing || producers.nodes.empty()) continue;
    RequiredProducer& required = compiled.requiredProducers.emplace_back();
    required.operand = operand;
    required.eitherOrder = compiled.nodes[root].bothOrders && operand < 2;
    required.producers = ClassSet(classes_.size());
    for (const uint32_t node : producers.nodes) required.producers.add(compiled.nodes[node].operators);
  }
}

void RuleIndex::indexRoots() {
  rootedFirst_.push_back(0);
  for (OperatorClass c = 0; c < classes_.size(); ++c) {
    for (uint32_t pattern = 0; pattern < patterns_.size(); ++pattern) {
      if (patterns_[pattern].roots.contains(c)) rooted_.push_back(pattern);
    }
    rootedFirst_.push_back(static_cast<uint32_t>(rooted_.size()));
  }
}

}  // namespace amdahlc
