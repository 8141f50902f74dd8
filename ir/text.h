/// The text form of a module (`.air`): complete, self-contained and stable. Print, parse, print gives the same bytes.
#pragma once

#include <functional>
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
/// The checked rules as normalised text of the rule language (`-print-rules`): one declaration for each, without
/// imports, classes and fragments. Read as a rule file, it gives the same candidates and lowerings. IR text has no
/// lowerings, because its graphs are made.
std::string printRules(const RuleSet& rules);

/// One rule, one lowering, and one match, in that form.
std::string printRule(const Rule& rule);
std::string printLowering(const Lowering& lowering);
std::string printPattern(const Pattern& pattern);

/// One expression of a rule. As an operand it is in parentheses where it needs them.
std::string printExpression(const Expr& expr, bool asOperand = false);

/// Reads rules from a part of a text, and reports what is wrong with them; nullopt if there was an error. The rule
/// language has one parser, which is in a component above this one.
using RuleReader = std::function<std::optional<RuleSet>(SourceRange text, DiagnosticEngine& diagnostics)>;

/// Parses what `print` wrote. Comments run from `//` to the end of the line. Reports located diagnostics and returns
/// nullopt; the result is verified.
std::optional<Module> parse(BufferId buffer, const SourceManager& sources, const RuleReader& readRules,
                            DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir
