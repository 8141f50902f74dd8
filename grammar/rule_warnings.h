/// What is well formed and yet surely not meant.
#pragma once

#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// Warns about rules that can never match, that an earlier one always precedes, and about kernel patterns that say nothing.
void warnAboutRules(const ir::RuleSet& rules, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
