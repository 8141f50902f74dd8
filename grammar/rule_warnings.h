/// Warnings about rules that are well formed but cannot be intended.
#pragma once

#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// Warns about rules that can never match, that an earlier one always precedes, and about kernel patterns that test
/// nothing.
void warnAboutRules(const ir::RuleSet& rules, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
