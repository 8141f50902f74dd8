/// Parses the text of a rule file into a syntax tree, and recovers from syntax errors to report several at once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// Parses one buffer. Reports every syntax error. The tree contains all declarations that could be parsed; those with
/// errors are marked.
ast::File parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

/// Where names are in a text that may not parse. A word that is a keyword somewhere is a keyword everywhere.
std::vector<SourceRange> namesIn(BufferId buffer, const SourceManager& sources);

/// The tokens of a text, as `limits::kRuleTokens` counts them.
int64_t countTokens(std::string_view text);

}  // namespace amdahlc::grammar
