/// Parses `.akp` text.
#pragma once

#include "grammar/ast.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// Largest rule file; a hand-written library stays far below.
inline constexpr uint64_t kMaxRuleFileBytes = 4u << 20;
/// Deepest nesting of brackets. The generated parser recurses about eight frames a bracket.
inline constexpr uint32_t kMaxNesting = 200;

/// Parses one buffer. Every syntax error is reported; the tree holds what could be parsed, with declarations that have
/// errors marked.
ast::File parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
