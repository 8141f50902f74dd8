/// The text form of a module (`.air`): complete, self-contained and stable. Print, parse, print gives the same bytes.
#pragma once

#include <optional>
#include <string>

#include "ir/module.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir {

/// Prints everything a later pass or report can read: target, opsets, the rules that have a candidate, graphs,
/// candidates, covers with their kernels (operators inside), facets, scenarios, and, once `Facet::Bound` is
/// established, the timelines with device events only.
std::string print(const Module& module);
/// Only the checked rules, in the form that the module's text uses (`-print-rules`).
std::string printRules(const RuleSet& rules);

/// One rule, and one match, in that form.
std::string printRule(const Rule& rule);
std::string printPattern(const Pattern& pattern);

/// One expression of a rule, as the text form and `-print-rules` write it.
std::string printExpression(const Expr& expr);

/// Parses what `print` wrote. Comments run from `//` to the end of the line. Reports located diagnostics and returns
/// nullopt; the result is verified.
std::optional<Module> parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir
