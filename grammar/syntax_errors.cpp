#include "grammar/syntax_errors.h"

#include <algorithm>
#include <string_view>

#include "AkpLexer.h"

namespace amdahlc::grammar {
namespace {

using generated::AkpParser;

constexpr size_t kMaxListed = 4;

const antlr4::misc::IntervalSet& firstTokens(size_t rule) {
  static const antlr4::atn::ATN& kAutomaton = AkpParser(nullptr).getATN();
  return kAutomaton.nextTokens(kAutomaton.ruleToStartState[rule]);
}

/// What rules of the grammar expect, if that is clearer than a list of tokens.
struct Described {
  std::vector<size_t> rules;
  std::string_view text;
};

std::string_view describeRule(size_t rule) {
  using P = AkpParser;
  static const std::vector<Described> kRows{
      {{P::RuleFile, P::RuleItem}, "a declaration such as `kernel`, `import` or `class`"},
      {{P::RuleKernelDecl, P::RuleRefineDecl, P::RuleMember}, "`match`, `runs as` or another member of a rule"},
      {{P::RuleBlock, P::RuleStatement}, "a statement such as `y = MatMul(a, b);`"},
      {{P::RuleResults, P::RuleTerm, P::RuleAtom, P::RuleArgs, P::RuleArg},
       "a value, `const` or an operator with its operands"},
      {{P::RuleRuns, P::RuleLaunch, P::RuleStep}, "a kernel pattern such as `/gemm/`"},
      {{P::RuleExpr, P::RuleConjunction, P::RuleAlternatives, P::RuleNegation, P::RuleComparison, P::RuleSum,
        P::RuleProduct, P::RuleUnary, P::RulePrimary, P::RuleValueSet, P::RuleValueRange},
       "an expression"}};
  for (const Described& row : kRows)
    if (std::ranges::find(row.rules, rule) != row.rules.end()) return row.text;
  return "";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return text;
}

}  // namespace

bool isKeyword(size_t type) { return type >= AkpParser::AKP && type <= AkpParser::WHERE; }

bool isWordToken(size_t type) { return type == AkpParser::IDENT || isKeyword(type); }

std::string tokenText(size_t type) {
  // The lexer's tables are static; to make a lexer is not cheap.
  static const antlr4::dfa::Vocabulary kVocabulary = generated::AkpLexer(nullptr).getVocabulary();
  std::string text(kVocabulary.getLiteralName(type));
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  return text;
}

void StopAtError::reset(antlr4::Parser* parser) {
  DefaultErrorStrategy::reset(parser);
  places_.clear();
  placesAt_ = INVALID_INDEX;
  undecided_ = false;
}

void StopAtError::note(antlr4::Parser& parser) {
  const size_t at = parser.getInputStream()->index();
  if (at != placesAt_) places_.clear();
  placesAt_ = at;
  places_.push_back({parser.getState(), parser.getContext()});
}

void StopAtError::sync(antlr4::Parser* parser) {
  note(*parser);
  const antlr4::atn::ATN& automaton = parser->getATN();
  antlr4::atn::ATNState* state = automaton.states[parser->getState()];
  const antlr4::misc::IntervalSet& next = automaton.nextTokens(state);
  if (next.contains(antlr4::Token::EPSILON) || next.contains(parser->getInputStream()->LA(1))) return;
  throw ParseStopped{parser->getCurrentToken()};
}

antlr4::Token* StopAtError::recoverInline(antlr4::Parser* parser) {
  note(*parser);
  throw ParseStopped{parser->getCurrentToken()};
}

void StopAtError::recover(antlr4::Parser* parser, std::exception_ptr error) {
  note(*parser);
  antlr4::Token* token = parser->getCurrentToken();
  try {
    std::rethrow_exception(error);
  } catch (const antlr4::NoViableAltException& e) {
    undecided_ = e.getStartToken() != e.getOffendingToken();
    token = e.getOffendingToken();
  } catch (const antlr4::RecognitionException& e) {
    token = e.getOffendingToken();
  }
  throw ParseStopped{token};
}

Expectation StopAtError::expectation(const antlr4::Parser& parser) const {
  Expectation out;
  if (places_.empty()) return out;
  if (const auto* context = places_.back().context) out.inside = describeRule(context->getRuleIndex());
  if (undecided_) return out;
  antlr4::misc::IntervalSet expected;
  for (const Place& place : places_) expected.addAll(parser.getATN().getExpectedTokens(place.state, place.context));
  const bool nameFits = expected.contains(static_cast<size_t>(AkpParser::IDENT));
  std::vector<std::string> listed;
  for (const ssize_t raw : expected.toList()) {
    const auto type = static_cast<size_t>(raw);
    if (raw < 0 || type < antlr4::Token::MIN_USER_TOKEN_TYPE) {
      listed.emplace_back("the end of the file");
      continue;
    }
    // A keyword that is also a name is listed only where a name is not.
    if (nameFits && isKeyword(type) && canBegin(AkpParser::RuleIdent, type)) continue;
    out.types.push_back(type);
    if (type == AkpParser::FLOAT && expected.contains(static_cast<size_t>(AkpParser::INT))) continue;
    listed.push_back(describeTokenType(type));
  }
  out.text = listed.size() <= kMaxListed ? joined(listed) : out.inside;
  return out;
}

bool canBegin(size_t rule, size_t type) { return firstTokens(rule).contains(type); }

std::vector<std::string> beginningsOf(size_t rule) {
  std::vector<std::string> out;
  for (const ssize_t type : firstTokens(rule).toList()) out.push_back(tokenText(static_cast<size_t>(type)));
  return out;
}

std::string describeTokenType(size_t type) {
  switch (type) {
    case antlr4::Token::EOF:
      return "the end of the file";
    case AkpParser::IDENT:
      return "a name";
    case AkpParser::INT:
    case AkpParser::FLOAT:
      return "a number";
    case AkpParser::STRING:
      return "a string";
    case AkpParser::REGEX:
      return "a regular expression";
    case AkpParser::COLONCOLON:
      return "`::` and an operator after the domain";
    default:
      return "`" + tokenText(type) + "`";
  }
}

}  // namespace amdahlc::grammar
