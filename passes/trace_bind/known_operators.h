/// Which framework operators the rules and the graph know. All others may be wrappers around calls.
#pragma once

#include <functional>
#include <string_view>

#include "passes/trace_bind/alternatives.h"
#include "replay/runtimes/runtime.h"

namespace amdahlc::binding {

/// By rule: whether it has a candidate.
IdVector<ir::RuleId, bool> rulesWithCandidates(const AlternativeGraph& graph);

/// Tells the names of framework operators that rules with candidates or operators of the graph use, and of those that
/// an export for inference lacks. Both must outlive the result.
std::function<bool(std::string_view)> knownOperators(const AlternativeGraph& graph, const RuntimeAdapter& runtime);

}  // namespace amdahlc::binding
