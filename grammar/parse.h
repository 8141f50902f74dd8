/// Parses the text of a rule file into a syntax tree, and recovers from syntax errors to report several at once.
#pragma once

#include "grammar/ast.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// Limit on the size of a rule file, far above that of hand-written libraries.
inline constexpr uint64_t kMaxRuleFileBytes = 4u << 20;
/// Limit on the nesting of brackets. The generated parser recurses about eight frames per bracket.
inline constexpr uint32_t kMaxNesting = 200;

/// Parses one buffer. Reports every syntax error. The tree contains all declarations that could be parsed; those with
/// errors are marked.
ast::File parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
