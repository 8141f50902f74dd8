#include "ir/rules.h"

#include <algorithm>

#include "support/case_folding.h"

namespace amdahlc::ir {
namespace {

bool haveCommon(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return a.empty() || b.empty() || std::ranges::any_of(a, [&](const std::string& one) {
           return std::ranges::any_of(b, [&](const std::string& other) { return equalIgnoringCase(one, other); });
         });
}

}  // namespace

bool admitCommonTarget(const Applicability& a, const Applicability& b) {
  return haveCommon(a.runtimes, b.runtimes) && haveCommon(a.vendors, b.vendors);
}

void RuleSet::addViews(const Applicability& where, const std::vector<OperatorName>& operators) {
  auto entry = std::ranges::find(views, where, &Views::where);
  if (entry == views.end()) entry = views.insert(views.end(), {where, {}});
  for (const OperatorName& name : operators)
    if (std::ranges::find(entry->operators, name) == entry->operators.end()) entry->operators.push_back(name);
}

bool RuleSet::isView(const OperatorName& name, const Applicability& where) const {
  return std::ranges::any_of(views, [&](const Views& one) {
    return admitCommonTarget(one.where, where) && std::ranges::find(one.operators, name) != one.operators.end();
  });
}

Producers producersOf(const Pattern& pattern, uint32_t made) {
  Producers producers;
  std::vector<bool> seen(pattern.values.size(), false);
  std::vector<uint32_t> pending{made};
  while (!pending.empty()) {
    const uint32_t value = pending.back();
    pending.pop_back();
    if (seen[value]) continue;
    seen[value] = true;
    ++producers.values;
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

bool isOneOperator(const Pattern& pattern) {
  const auto isAny = [&](uint32_t value) { return pattern.values[value].kind == PatternValue::Kind::Any; };
  return pattern.nodes.size() == 1 && pattern.nodes[0].min == 1 && pattern.nodes[0].max == 1 &&
         pattern.nodes[0].attributes.empty() && pattern.nodes[0].moreOperands && pattern.where.empty() &&
         std::ranges::all_of(pattern.nodes[0].operands, isAny);
}

bool runsAsOneNamedKernel(const Rule& rule) {
  const auto isNamedKernel = [](const LaunchSequence& launch) {
    return launch.steps.size() == 1 && launch.operators.empty() && launch.operatorPatterns.empty();
  };
  return !rule.noDeviceWork && !rule.namesOnly && !rule.launches.empty() &&
         std::ranges::all_of(rule.launches, isNamedKernel);
}

}  // namespace amdahlc::ir
