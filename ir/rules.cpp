#include "ir/rules.h"

namespace amdahlc::ir {

bool isOneOperator(const Pattern& pattern) {
  const auto isAny = [&](uint32_t value) { return pattern.values[value].kind == PatternValue::Kind::Any; };
  return pattern.nodes.size() == 1 && pattern.nodes[0].min == 1 && pattern.nodes[0].max == 1 &&
         pattern.nodes[0].attributes.empty() && pattern.nodes[0].moreOperands && pattern.where.empty() &&
         std::all_of(pattern.nodes[0].operands.begin(), pattern.nodes[0].operands.end(), isAny);
}

bool runsAsOneNamedKernel(const Rule& rule) {
  const auto isNamedKernel = [](const LaunchSequence& launch) {
    return launch.steps.size() == 1 && launch.operators.empty() && launch.operatorPatterns.empty();
  };
  return !rule.noDeviceWork && !rule.namesOnly && !rule.launches.empty() &&
         std::all_of(rule.launches.begin(), rule.launches.end(), isNamedKernel);
}

}  // namespace amdahlc::ir
