/// Which framework operators the rules and the graph know. All others may be wrappers around calls.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/kernel_test.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc::binding {

/// By rule: whether it has a candidate.
IdVector<ir::RuleId, bool> rulesWithCandidates(const AlternativeGraph& graph);

/// Names of framework operators that active rules or operators of the graph use, and of those that an export for
/// inference lacks.
class KnownOperators {
 public:
  /// All must outlive it.
  KnownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime,
                 const IdVector<ir::RuleId, bool>& active);
  bool contains(std::string_view name);

 private:
  const RuntimeAdapter& runtime_;
  const IdVector<ir::RuleId, ir::Rule>& rules_;
  const IdVector<ir::RuleId, bool>& active_;
  std::set<std::string> names_;
  OperatorPatterns operatorPatterns_;
};

}  // namespace amdahlc::binding
