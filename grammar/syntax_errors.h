/// Syntax errors in terms of the language: the text that was found, and what was expected.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "AkpParser.h"
#include "antlr4-runtime.h"

namespace amdahlc::grammar {

/// What the parser could have read at a place.
struct Expectation {
  /// Token types, ascending.
  std::vector<size_t> types;
  /// `;` or a name; empty if there is no helpful text.
  std::string text;
  /// The construct in which the parser was, for messages; empty if it has no description.
  std::string inside;
};

/// Thrown out of the parser where it cannot go on.
struct ParseStopped {
  /// The first token that does not fit.
  antlr4::Token* token = nullptr;
};

/// Stops at the first error.
class StopAtError : public antlr4::DefaultErrorStrategy {
 public:
  void reset(antlr4::Parser* parser) override;
  void reportError(antlr4::Parser*, const antlr4::RecognitionException&) override {}
  void recover(antlr4::Parser* parser, std::exception_ptr error) override;
  antlr4::Token* recoverInline(antlr4::Parser* parser) override;
  void sync(antlr4::Parser* parser) override;

  /// What was expected at the token where it stopped. Only after `ParseStopped`, while the parser keeps its contexts.
  Expectation expectation(const antlr4::Parser& parser) const;

  /// The innermost rule where it stopped; nullptr before it stopped.
  antlr4::RuleContext* innermost() const { return places_.empty() ? nullptr : places_.back().context; }

 private:
  struct Place {
    size_t state;
    antlr4::RuleContext* context;
  };
  void note(antlr4::Parser& parser);

  /// The states in which the parser was at one token.
  std::vector<Place> places_;
  size_t placesAt_ = INVALID_INDEX;
  /// It tried several alternatives and stopped behind the first token of them, so what it expected is not known.
  bool undecided_ = false;
};

/// Whether what a rule of the grammar describes can begin with a token of the type.
bool canBegin(size_t rule, size_t type);
/// The texts of the tokens with which it can begin. None of them is a name, a number or the like.
std::vector<std::string> beginningsOf(size_t rule);

bool isKeyword(size_t type);
/// Whether a token of the type is a name or a keyword.
bool isWordToken(size_t type);
/// The text of a token that is always the same; empty for names, numbers and the like.
std::string tokenText(size_t type);
/// A token as messages write it: `;` in backticks, `a name`, `the end of the file`.
std::string describeTokenType(size_t type);

}  // namespace amdahlc::grammar
