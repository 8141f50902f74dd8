#include "grammar/tokens.h"

#include "antlr4-runtime.h"
#include "grammar/lexer.h"
#include "grammar/syntax_errors.h"

namespace amdahlc::grammar {
namespace {

using Kind = Token::Kind;

Kind kindOf(size_t type) {
  switch (type) {
    case RuleLexer::IDENT:
      return Kind::Name;
    case RuleLexer::INT:
    case RuleLexer::FLOAT:
      return Kind::Number;
    case RuleLexer::STRING:
    case RuleLexer::OPEN_STRING:
    case RuleLexer::QUOTED:
      return Kind::String;
    case RuleLexer::REGEX:
    case RuleLexer::OPEN_REGEX:
      return Kind::Regex;
    case RuleLexer::DOC:
      return Kind::DocComment;
    case RuleLexer::HASH_COMMENT:
    case RuleLexer::OPEN_COMMENT:
    case RuleLexer::UNKNOWN:
      return Kind::Other;
    default:
      return isKeyword(type) ? Kind::Keyword : Kind::Mark;
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
