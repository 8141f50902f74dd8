#include "grammar/tokens.h"

#include "antlr4-runtime.h"
#include "grammar/lexer.h"
#include "grammar/syntax_errors.h"

namespace amdahlc::grammar {
namespace {

Token::Kind kindOf(size_t type) {
  switch (type) {
    case RuleLexer::IDENT:
      return Token::Kind::Name;
    case RuleLexer::INT:
    case RuleLexer::FLOAT:
      return Token::Kind::Number;
    case RuleLexer::STRING:
    case RuleLexer::OPEN_STRING:
    case RuleLexer::QUOTED:
      return Token::Kind::String;
    case RuleLexer::REGEX:
    case RuleLexer::OPEN_REGEX:
      return Token::Kind::Regex;
    case RuleLexer::DOC:
      return Token::Kind::DocComment;
    case RuleLexer::HASH_COMMENT:
    case RuleLexer::OPEN_COMMENT:
    case RuleLexer::UNKNOWN:
      return Token::Kind::Other;
    default:
      return isKeyword(type) ? Token::Kind::Keyword : Token::Kind::Mark;
  }
}

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  antlr4::ANTLRInputStream input(widened(text));
  RuleLexer lexer(&input);
  lexer.removeErrorListeners();
  std::vector<Token> out;
  for (auto token = lexer.nextToken(); token->getType() != antlr4::Token::EOF; token = lexer.nextToken())
    out.push_back({kindOf(token->getType()), static_cast<uint32_t>(token->getStartIndex()),
                   static_cast<uint32_t>(token->getStopIndex() + 1)});
  return out;
}

}  // namespace amdahlc::grammar
