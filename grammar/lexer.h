/// The generated lexer, faster, and with the decision whether `/` divides. Private to this component.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "AkpLexer.h"
#include "antlr4-runtime.h"

namespace amdahlc::grammar {

/// What the lexer reads for a text: ANTLR's runtime decodes UTF-8 and counts code points. With each byte as a code
/// point, positions are byte offsets.
std::string widened(std::string_view text);

/// All lexers share the automaton that they extend while they match, so that one thread has lexers at a time.
class RuleLexer : public generated::AkpLexer {
 public:
  explicit RuleLexer(antlr4::CharStream* input);

  std::unique_ptr<antlr4::Token> nextToken() override;
  antlr4::Token* emit() override;

 private:
  std::unique_lock<std::recursive_mutex> alone_;
  /// The type of the word that was matched last: a keyword or IDENT.
  size_t typeOfWord() const;
  bool mayStartRegex() const;

  /// Owned by the base class.
  antlr4::atn::LexerATNSimulator* simulator_ = nullptr;
  /// The type of the last token that is no comment; 0 at the start.
  size_t previous_ = 0;
  size_t beforePrevious_ = 0;
};

/// All tokens of a text.
struct LexedText {
  explicit LexedText(std::string_view text) : input(widened(text)), lexer(&input), tokens(&lexer) { tokens.fill(); }

  antlr4::ANTLRInputStream input;
  RuleLexer lexer;
  antlr4::CommonTokenStream tokens;
};

}  // namespace amdahlc::grammar
