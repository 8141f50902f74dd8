#include "passes/trace_bind/known_operators.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "passes/trace_bind/kernel_test.h"

namespace amdahlc::binding {

IdVector<ir::RuleId, bool> rulesWithCandidates(const AlternativeGraph& graph) {
  const ir::Module& module = graph.module();
  IdVector<ir::RuleId, bool> active(module.rules.rules.size(), false);
  for (const ir::Candidate& candidate : module.candidates)
    active[candidate.rule] = graph.grouping().admitted[candidate.rule];
  return active;
}

std::function<bool(std::string_view)> knownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime) {
  std::set<std::string> names;
  for (const Alternative& alternative : graph.alternatives()) {
    for (const std::string& target : alternative.targets) names.insert(runtime.comparableName(target));
    names.insert(alternative.typeNames.begin(), alternative.typeNames.end());
  }
  return [&rules = graph.module().rules.rules, &runtime, names = std::move(names), active = rulesWithCandidates(graph),
          patterns = std::make_shared<OperatorPatterns>()](std::string_view name) {
    if (names.contains(runtime.comparableName(name)) || runtime.isIdentityInInference(name)) return true;
    const auto ids = rules.ids();
    return std::any_of(ids.begin(), ids.end(),
                       [&](ir::RuleId rule) { return active[rule] && patterns->isNamed(rules[rule], name); });
  };
}

}  // namespace amdahlc::binding
