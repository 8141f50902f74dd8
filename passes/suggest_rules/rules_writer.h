/// The output `suggested-rules`, and the printer of its analysis.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc::suggestions {

class SuggestedRules;

/// A rule file with the suggestions for a run; comments say what each would change.
std::string writeSuggestedRules(const OutputContext& context, ir::CoverId cover);

/// What a rule explains, in one line: `71.2 ms (60.1 %): 72 calls of ..`.
std::string describe(const SuggestedRules& suggestions, size_t rule);

std::string printSuggestedRules(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

}  // namespace amdahlc::suggestions
