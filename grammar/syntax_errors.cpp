#include "grammar/syntax_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "AkpLexer.h"
#include "AkpParser.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using generated::AkpParser;

// A file with more errors is probably not in this language.
constexpr uint32_t kMaxSyntaxErrors = 50;
constexpr size_t kMaxListed = 4;
constexpr size_t kMaxQuoted = 40;

/// Keywords that are also valid names. They are listed as expected only if a name is not.
bool isSoftKeyword(size_t type) {
  static constexpr std::array kHard{AkpParser::AND,  AkpParser::AS,    AkpParser::CONST, AkpParser::FALSE,
                                    AkpParser::IN,   AkpParser::MATCH, AkpParser::NOT,   AkpParser::OR,
                                    AkpParser::TRUE, AkpParser::WHERE};
  return type >= AkpParser::AKP && type <= AkpParser::WHERE &&
         std::find(kHard.begin(), kHard.end(), type) == kHard.end();
}

bool isKeyword(size_t type) { return type >= AkpParser::AKP && type <= AkpParser::WHERE; }

std::string literal(size_t type) {
  std::string text = generated::AkpLexer(nullptr).getVocabulary().getLiteralName(type);
  if (text.size() >= 2 && text.front() == '\'') text = text.substr(1, text.size() - 2);
  return text;
}

/// What a rule of the grammar expects, if that is clearer than a list of tokens.
std::string_view describeRule(size_t rule) {
  switch (rule) {
    case AkpParser::RuleFile:
    case AkpParser::RuleItem:
      return "a declaration such as `kernel`, `import` or `class`";
    case AkpParser::RuleKernelDecl:
    case AkpParser::RuleRefineDecl:
    case AkpParser::RuleMember:
      return "`match`, `runs as` or another member of a rule";
    case AkpParser::RuleBlock:
    case AkpParser::RuleStatement:
      return "a statement such as `y = MatMul(a, b);`";
    case AkpParser::RuleResults:
    case AkpParser::RuleTerm:
    case AkpParser::RuleAtom:
    case AkpParser::RuleArgs:
    case AkpParser::RuleArg:
      return "a value, `const` or an operator with its operands";
    case AkpParser::RuleRuns:
    case AkpParser::RuleLaunch:
    case AkpParser::RuleStep:
      return "a kernel pattern such as `/gemm/`";
    case AkpParser::RuleExpr:
    case AkpParser::RuleConjunction:
    case AkpParser::RuleAlternatives:
    case AkpParser::RuleNegation:
    case AkpParser::RuleComparison:
    case AkpParser::RuleSum:
    case AkpParser::RuleProduct:
    case AkpParser::RuleUnary:
    case AkpParser::RulePrimary:
    case AkpParser::RuleValueSet:
    case AkpParser::RuleValueRange:
      return "an expression";
    default:
      return "";
  }
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : i + 1 == parts.size() ? " or " : ", ") + parts[i];
  return text;
}

struct Expectation {
  /// `;` or a name; empty if there is no helpful text.
  std::string text;
  /// For "did you mean".
  std::vector<std::string> keywords;
  /// The one token that fits.
  std::optional<size_t> only;
};

Expectation expectation(antlr4::Parser& parser) {
  Expectation out;
  const antlr4::misc::IntervalSet expected = parser.getExpectedTokens();
  const bool nameFits = expected.contains(static_cast<size_t>(AkpParser::IDENT));
  std::vector<std::string> listed;
  for (const ssize_t raw : expected.toList()) {
    const auto type = static_cast<size_t>(raw);
    if (type < antlr4::Token::MIN_USER_TOKEN_TYPE || raw < 0) {
      listed.push_back("the end of the file");
      continue;
    }
    if (isKeyword(type)) out.keywords.push_back(literal(type));
    if (nameFits && isSoftKeyword(type)) continue;
    if (type == AkpParser::FLOAT && expected.contains(static_cast<size_t>(AkpParser::INT))) continue;
    listed.push_back(describeTokenType(type));
  }
  if (expected.size() == 1 && expected.toList().front() > 0) out.only = static_cast<size_t>(expected.toList().front());
  if (listed.size() <= kMaxListed) {
    out.text = joined(listed);
  } else if (const auto* context = parser.getContext()) {
    out.text = describeRule(context->getRuleIndex());
  }
  return out;
}

std::vector<std::string> literals(std::initializer_list<size_t> types) {
  std::vector<std::string> out;
  for (const size_t type : types) out.push_back(literal(type));
  return out;
}

}  // namespace

std::vector<std::string> declarationKeywords() {
  return literals({AkpParser::ARCH, AkpParser::CLASS, AkpParser::DISABLE, AkpParser::EVIDENCE, AkpParser::FRAGMENT,
                   AkpParser::HIDDEN_OPS, AkpParser::IMPORT, AkpParser::KERNEL, AkpParser::REFINE, AkpParser::RUNTIME,
                   AkpParser::VENDOR, AkpParser::VIEWS});
}

std::vector<std::string> memberKeywords() {
  return literals({AkpParser::ARCH, AkpParser::CATEGORY, AkpParser::GENERATED, AkpParser::LABEL, AkpParser::MATCH,
                   AkpParser::OR, AkpParser::PRIORITY, AkpParser::RECOMPUTE, AkpParser::RUNS, AkpParser::RUNTIME,
                   AkpParser::VENDOR});
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
      return "`" + literal(type) + "`";
  }
}

antlr4::Token* RecoveryStrategy::recoverInline(antlr4::Parser* recognizer) {
  const antlr4::misc::IntervalSet expected = recognizer->getExpectedTokens();
  antlr4::ParserRuleContext* context = recognizer->getContext();
  antlr4::Token* token = DefaultErrorStrategy::recoverInline(recognizer);
  const bool harmless = expected.size() == 1 && expected.contains(static_cast<size_t>(AkpParser::SEMI));
  if (!harmless && !context->exception)
    context->exception = std::make_exception_ptr(antlr4::InputMismatchException(recognizer));
  return token;
}

void SyntaxErrorListener::syntaxError(antlr4::Recognizer* recognizer, antlr4::Token* offending, size_t line, size_t,
                                      const std::string&, std::exception_ptr exception) {
  ++errors_;
  if (line == lastLine_ || errors_ > kMaxSyntaxErrors || offending == nullptr) return;
  lastLine_ = line;
  auto& parser = dynamic_cast<antlr4::Parser&>(*recognizer);
  const std::string_view text = sources_.text(buffer_);
  const bool atEnd = offending->getType() == antlr4::Token::EOF;
  SourceRange range{buffer_, static_cast<uint32_t>(std::min(offending->getStartIndex(), text.size())),
                    static_cast<uint32_t>(atEnd ? text.size() : std::min(offending->getStopIndex() + 1, text.size()))};
  std::string found = "the end of the file";
  if (!atEnd) {
    found = text.substr(range.begin, range.end - range.begin);
    if (found.size() > kMaxQuoted) found = found.substr(0, kMaxQuoted) + "...";
    found = "`" + found + "`";
  }

  // If the parser tried several alternatives, it does not know what was expected at the last token.
  bool undecided = false;
  if (exception) {
    try {
      std::rethrow_exception(exception);
    } catch (const antlr4::NoViableAltException& e) {
      undecided = e.getStartToken() != offending;
    } catch (...) {  // NOLINT(bugprone-empty-catch)
    }
  }
  const Expectation expected = expectation(parser);
  if (errors_ == kMaxSyntaxErrors) {
    diagnostics_.error(DiagId::AkpSyntax, range,
                       fmt::format("{} syntax errors; the rest of this file is not reported", kMaxSyntaxErrors));
    return;
  }
  const std::string word = atEnd ? "" : std::string(text.substr(range.begin, range.end - range.begin));
  if (offending->getType() == AkpParser::IDENT && !undecided) {
    if (const auto close = closestName(word, expected.keywords)) {
      diagnostics_
          .error(DiagId::AkpSyntax, range, fmt::format("unknown keyword `{}`; did you mean `{}`?", word, *close))
          .fix(range, *close);
      return;
    }
  }
  const size_t index = offending->getTokenIndex();
  antlr4::Token* previous = nullptr;
  for (size_t i = index; i > 0 && index != INVALID_INDEX;) {
    antlr4::Token* token = parser.getTokenStream()->get(--i);
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) {
      previous = token;
      break;
    }
  }
  if (undecided || expected.text.empty()) {
    const auto* context = parser.getContext();
    const std::string_view where = context ? describeRule(context->getRuleIndex()) : "";
    diagnostics_.error(
        DiagId::AkpSyntax, range,
        where.empty() ? fmt::format("unexpected {}", found) : fmt::format("unexpected {} in {}", found, where));
    return;
  }
  // A token that is missing at the end of a line is reported there, not at the start of the next line.
  if (expected.only && previous != nullptr && previous->getLine() < offending->getLine()) {
    const auto end = static_cast<uint32_t>(previous->getStopIndex() + 1);
    lastLine_ = previous->getLine();
    auto report = diagnostics_.error(DiagId::AkpSyntax, SourceRange{buffer_, end, end},
                                     fmt::format("expected {}", expected.text));
    if (!isKeyword(*expected.only) && *expected.only != AkpParser::IDENT && !literal(*expected.only).empty())
      report.fix({buffer_, end, end}, literal(*expected.only));
    return;
  }
  diagnostics_.error(DiagId::AkpSyntax, range, fmt::format("expected {}, found {}", expected.text, found));
}

}  // namespace amdahlc::grammar
