/// Warnings about rules that are valid but probably not intended.
#pragma once

#include "grammar/expressions.h"
#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// Warns about rules that can never match or that another rule always precedes, and about kernel patterns that match
/// every kernel.
void warnAboutRules(const ir::RuleSet& rules, Regexes& regexes, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
