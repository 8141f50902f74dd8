/// Syntax errors in terms of the language: the text that was found, and what was expected.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antlr4-runtime.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// Turns the generated parser's errors into diagnostics, one per line: further errors of a line usually follow from the
/// first.
class SyntaxErrorListener : public antlr4::BaseErrorListener {
 public:
  SyntaxErrorListener(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics)
      : buffer_(buffer), sources_(sources), diagnostics_(diagnostics) {}

  void syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* offending, size_t line, size_t column,
                   const std::string& message, std::exception_ptr exception) override;
  uint32_t errorCount() const { return errors_; }

 private:
  BufferId buffer_;
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  uint32_t errors_ = 0;
  size_t lastLine_ = 0;
};

/// ANTLR's error recovery, which also marks the rule in which it deleted or inserted a token. If the parser expected a
/// set of tokens, ANTLR does not record that. An inserted `;` is harmless, so its rule counts as complete.
class RecoveryStrategy : public antlr4::DefaultErrorStrategy {
 public:
  antlr4::Token* recoverInline(antlr4::Parser* recognizer) override;
};

/// The keywords that start a declaration, and those that start a member of a rule: for "did you mean".
std::vector<std::string> declarationKeywords();
std::vector<std::string> memberKeywords();

/// A token as messages write it: `;` in backticks, `a name`, `the end of the file`.
std::string describeTokenType(size_t type);

}  // namespace amdahlc::grammar
