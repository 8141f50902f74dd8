/// Finds the mistake behind a syntax error: the change of one token after which the text parses furthest. Each mistake
/// is reported once, with what to write instead, and the text behind it is read as if it were corrected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "antlr4-runtime.h"
#include "grammar/syntax_errors.h"
#include "grammar/written_tokens.h"
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

enum class ChangeKind : uint8_t { Spelling, Keyword, Insert, Delete, Replace, LeaveOut };

/// Replaces the tokens from `begin` to before `end` by one of type `type`, if there is a type.
struct Change {
  ChangeKind kind = ChangeKind::Insert;
  size_t begin = 0;
  size_t end = 0;
  std::optional<size_t> type;
  /// What is likely, against other changes with the same effect.
  int cost = 0;
};

/// Where a parse stopped.
struct Stop {
  /// Index of the first token that does not fit.
  size_t at = 0;
  /// Whether a declaration would begin there.
  bool beginsDeclaration = false;
  Expectation expected;
};

/// Brackets often follow each other, and one of several may be too many anywhere.
bool isWrittenTwice(const WrittenTokens& tokens, size_t at);

/// Reports the mistake that the change mends.
void reportChange(const WrittenTokens& tokens, const Stop& stop, const Change& change, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar
