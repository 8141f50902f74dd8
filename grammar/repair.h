/// Finds the mistake behind a syntax error: the change of one token after which the text parses furthest. Each mistake
/// is reported once, with what to write instead, and the text behind it is read as if it were corrected.
#pragma once

#include <memory>
#include <vector>

#include "antlr4-runtime.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// The tokens of a file in the order of the text, without comments; the last one is its end.
struct RepairedTokens {
  std::vector<antlr4::Token*> tokens;
  /// Owns the tokens that the file does not have.
  std::vector<std::unique_ptr<antlr4::CommonToken>> made;
  /// Where the text that was meant is a guess: errors in what is read there follow from the mistake.
  std::vector<SourceRange> guesses;
};

/// Changes the tokens until they parse. Reports each change, except on lines (from 1, ascending) that already have an
/// error. Returns whether it changed anything: prediction that is only fast may refuse text that is right.
bool repair(RepairedTokens& file, BufferId buffer, const SourceManager& sources,
            const std::vector<size_t>& reportedLines, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
