/// What a repair of the text of a rule file changes, and the errors that say so. Private to this component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "grammar/syntax_errors.h"
#include "grammar/written_tokens.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

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
