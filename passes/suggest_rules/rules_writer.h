/// Suggested rules as text.
#pragma once

#include <string>

#include "passes/manager/analysis.h"

namespace amdahlc::suggestions {

class SuggestedRules;

/// What a rule explains, in one line: `71.2 ms (60.1 %): 72 calls of ..`.
std::string describe(const SuggestedRules& suggestions, size_t rule);

/// A rule file with the suggestions for a run; comments say what each would change.
std::string printSuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

}  // namespace amdahlc::suggestions
