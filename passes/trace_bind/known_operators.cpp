#include "passes/trace_bind/known_operators.h"

#include <algorithm>

namespace amdahlc::binding {

IdVector<ir::RuleId, bool> rulesWithCandidates(const AlternativeGraph& graph) {
  const ir::Module& module = graph.module();
  IdVector<ir::RuleId, bool> active(module.rules.rules.size(), false);
  for (const ir::Candidate& candidate : module.candidates)
    active[candidate.rule] = graph.grouping().admitted[candidate.rule];
  return active;
}

KnownOperators::KnownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime,
                               const IdVector<ir::RuleId, bool>& active)
    : runtime_(runtime), rules_(graph.module().rules.rules), active_(active) {
  for (const Alternative& alternative : graph.alternatives()) {
    for (const std::string& target : alternative.targets) names_.insert(runtime.comparableName(target));
    names_.insert(alternative.typeNames.begin(), alternative.typeNames.end());
  }
}

bool KnownOperators::contains(std::string_view name) {
  if (names_.contains(runtime_.comparableName(name)) || runtime_.isIdentityInInference(name)) return true;
  for (const ir::RuleId rule : rules_.ids()) {
    if (!active_[rule]) continue;
    for (const ir::LaunchSequence& sequence : rules_[rule].launches) {
      if (std::find(sequence.operators.begin(), sequence.operators.end(), name) != sequence.operators.end())
        return true;
      for (const std::string& pattern : sequence.operatorPatterns)
        if (operatorPatterns_.matches(pattern, name)) return true;
    }
  }
  return false;
}

}  // namespace amdahlc::binding
