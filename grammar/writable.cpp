// The grammar itself says what fits. The declaration around the place is read up to there, then
//
//   class View = Reshape | ¤      each keyword: those fit that are no names there
//   class View = Reshape | x ¤    a name: the parser stops behind it, and the rules around it tell what it would be
#include "grammar/writable.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "AkpParser.h"
#include "antlr4-runtime.h"
#include "grammar/ast_builder.h"
#include "grammar/lexer.h"
#include "grammar/recognizer.h"
#include "grammar/syntax_errors.h"
#include "grammar/written_tokens.h"
#include "support/limits.h"

namespace amdahlc::grammar {
namespace {

using P = generated::AkpParser;
using Names = Writable::Names;
using Tokens = std::vector<antlr4::Token*>;

// Mistakes before the place that are passed over.
constexpr int kMaxMistakes = 16;
// A longer declaration is not read again for each of them.
constexpr size_t kMostTokens = 20'000;

uint32_t beginOf(const antlr4::Token& token) { return rangeOf(0, token).begin; }
uint32_t endOf(const antlr4::Token& token) { return rangeOf(0, token).end; }

/// One run of the parser over tokens, which must not all fit.
class Attempt {
 public:
  explicit Attempt(Tokens tokens) : view_(std::move(tokens)), parser_(&view_) {
    parser_.removeErrorListeners();
    parser_.setErrorHandler(strategy_);
    try {
      parser_.file();
    } catch (const ParseStopped& stopped) {
      stoppedAt_ = stopped.token;
    }
  }

  const antlr4::Token* stoppedAt() const { return stoppedAt_; }

  /// The innermost rule around a token: the one that took it, if it was taken, or the one that could not decide.
  antlr4::tree::ParseTree* around(const antlr4::Token& token) const {
    antlr4::tree::ParseTree* innermost = strategy_->innermost();
    antlr4::tree::ParseTree* last = innermost;
    while (last != nullptr && last->parent != nullptr) last = last->parent;
    while (last != nullptr && !last->children.empty()) last = last->children.back();
    auto* taken = dynamic_cast<antlr4::tree::TerminalNode*>(last);
    return taken != nullptr && taken->getSymbol() == &token ? last->parent : innermost;
  }

 private:
  TokenView view_;
  P parser_;
  std::shared_ptr<StopAtError> strategy_ = std::make_shared<StopAtError>();
  antlr4::Token* stoppedAt_ = nullptr;
};

/// What a name means by the rules around it.
struct Meaning {
  Names names = Names::None;
  P::PostfixContext* test = nullptr;
};

Names byTarget(const antlr4::tree::TerminalNode* runtime, const antlr4::tree::TerminalNode* arch) {
  return runtime != nullptr ? Names::Runtime : arch != nullptr ? Names::Arch : Names::Vendor;
}

/// Whether a term is in the parentheses behind `const`: until they close, it could be an operand of a call.
bool followsConst(antlr4::tree::ParseTree* node) {
  while (node != nullptr && dynamic_cast<P::PostfixContext*>(node) == nullptr) node = node->parent;
  auto* term = node == nullptr ? nullptr : dynamic_cast<P::TermContext*>(node->parent);
  return term != nullptr && term->atom() != nullptr && term->atom()->CONST() != nullptr;
}

bool isInLowering(antlr4::tree::ParseTree* node) {
  while (node != nullptr && dynamic_cast<P::LowerDeclContext*>(node) == nullptr) node = node->parent;
  return node != nullptr;
}

Meaning meaningAt(antlr4::tree::ParseTree* node) {
  bool inExpression = false, isAssigned = false;
  for (; node != nullptr; node = node->parent) {
    if (auto* comparison = dynamic_cast<P::ComparisonContext*>(node)) isAssigned |= !comparison->ASSIGN().empty();
    if (dynamic_cast<P::ExprContext*>(node) != nullptr) inExpression = true;
    if (auto* postfix = dynamic_cast<P::PostfixContext*>(node); postfix != nullptr && isAssigned && isInLowering(node))
      return {Names::AttributeValue};
    if (auto* postfix = dynamic_cast<P::PostfixContext*>(node))
      return {inExpression || postfix->LBRACE() != nullptr ? Names::AttributeTest : Names::Operand, postfix};
    if (dynamic_cast<P::ConstArgContext*>(node) != nullptr) return {Names::ConstantTest};
    if (dynamic_cast<P::StepContext*>(node) != nullptr || dynamic_cast<P::LaunchContext*>(node) != nullptr)
      return {Names::KernelTest};
    if (dynamic_cast<P::TermContext*>(node) != nullptr || dynamic_cast<P::ArgContext*>(node) != nullptr ||
        dynamic_cast<P::ResultsContext*>(node) != nullptr)
      return {followsConst(node) ? Names::ConstantTest : Names::Operand};
    if (auto* statement = dynamic_cast<P::StatementContext*>(node)) {
      if (inExpression) return {Names::WhereTest};
      return {statement->SHARED() != nullptr || statement->ANCHOR() != nullptr ? Names::Value : Names::None};
    }
    if (dynamic_cast<P::MatchAltContext*>(node) != nullptr) return {inExpression ? Names::WhereTest : Names::None};
    if (auto* named = dynamic_cast<P::ClassDeclContext*>(node))
      return {named->ASSIGN() != nullptr ? Names::Operator : Names::None};
    if (auto* views = dynamic_cast<P::ViewsDeclContext*>(node))
      return {views->LBRACE() != nullptr ? Names::Operator : Names::None};
    if (dynamic_cast<P::HiddenDeclContext*>(node) != nullptr) return {Names::Operator};
    if (dynamic_cast<P::LowerParamContext*>(node) != nullptr) return {};
    if (auto* applies = dynamic_cast<P::AppliesContext*>(node)) return {byTarget(applies->RUNTIME(), applies->ARCH())};
    if (auto* condition = dynamic_cast<P::ConditionContext*>(node)) {
      if (condition->FOR() != nullptr) return {};
      return {byTarget(condition->RUNTIME(), condition->ARCH())};
    }
    if (dynamic_cast<P::RefineDeclContext*>(node) != nullptr || dynamic_cast<P::DisableDeclContext*>(node) != nullptr)
      return {Names::Rule};
    if (auto* kernel = dynamic_cast<P::KernelDeclContext*>(node))
      return {kernel->COLON() != nullptr ? Names::Category : Names::None};
    if (auto* member = dynamic_cast<P::MemberContext*>(node))
      return {member->CATEGORY() != nullptr   ? Names::Category
              : member->EVIDENCE() != nullptr ? Names::Evidence
                                              : Names::None};
    if (dynamic_cast<P::EvidenceDeclContext*>(node) != nullptr) return {Names::Evidence};
  }
  return {};
}

class Place {
 public:
  Place(std::string_view text, uint32_t offset) : text_(text), read_(text.substr(0, offset)) {
    out_.begin = out_.end = offset;
  }

  Writable find() {
    if (!readTokens()) return {};
    tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(declarationStart()));
    if (tokens_.size() > kMostTokens || depth() > limits::kRuleBrackets) return out_;
    const auto places = passMistakes();
    if (!places) return std::move(out_);
    for (size_t type = P::AKP; type <= P::WHERE; ++type)
      if (recognizer_.fitsAsKeyword(*places, type)) out_.keywords.push_back(tokenText(type));
    askForNames();
    return std::move(out_);
  }

 private:
  /// False inside text that is no code.
  bool readTokens() {
    for (antlr4::Token* token : read_.tokens.getTokens()) {
      if (token->getType() == antlr4::Token::EOF) break;
      constexpr std::array kNoCode{P::OPEN_STRING, P::OPEN_REGEX, P::OPEN_COMMENT, P::HASH_COMMENT, P::DOC};
      if (endOf(*token) == out_.begin && std::ranges::find(kNoCode, token->getType()) != kNoCode.end()) return false;
      if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) tokens_.push_back(token);
      lastEnd_ = endOf(*token);
    }
    // A comment is no token.
    const std::string_view gap = text_.substr(lastEnd_, out_.begin - lastEnd_);
    const size_t line = gap.find_last_of("\r\n");
    if (gap.substr(line == std::string_view::npos ? 0 : line).find("//") != std::string_view::npos) return false;
    if (!tokens_.empty() && isWordToken(tokens_.back()->getType()) && endOf(*tokens_.back()) == out_.begin) {
      out_.begin = beginOf(*tokens_.back());
      tokens_.pop_back();
    }
    while (out_.end < text_.size() && isWordCharacter(text_[out_.end])) ++out_.end;
    return true;
  }

  /// The first token of the declaration around the place; text before it may be damaged.
  size_t declarationStart() const {
    for (size_t i = tokens_.size(); i-- > 0;) {
      const size_t type = tokens_[i]->getType();
      if (!canBegin(P::RuleItem, type)) continue;
      const bool first = tokens_[i]->getCharPositionInLine() == 0;
      const bool member = canBegin(P::RuleMember, type);
      const size_t before = i == 0 ? size_t{P::SEMI} : tokens_[i - 1]->getType();
      if (first || (!member && (before == P::SEMI || before == P::RBRACE))) return i;
    }
    return 0;
  }

  /// The most brackets inside each other, for each of which the generated parser recurses.
  int64_t depth() const {
    int64_t open = 0;
    int64_t most = 0;
    for (const antlr4::Token* token : tokens_) {
      const size_t type = token->getType();
      if (type == P::LPAREN || type == P::LBRACE || type == P::LBRACK) most = std::max(most, ++open);
      if (type == P::RPAREN || type == P::RBRACE || type == P::RBRACK) open = std::max<int64_t>(open - 1, 0);
    }
    return most;
  }

  antlr4::Token& make(size_t type) {
    antlr4::CommonToken& token = made_.emplace_back(type);
    token.setStartIndex(out_.begin);
    token.setStopIndex(size_t{out_.begin} - 1);
    return token;
  }

  /// The tokens with further ones, and the end of the file.
  Tokens with(std::initializer_list<antlr4::Token*> more) {
    Tokens out = tokens_;
    out.insert(out.end(), more);
    out.push_back(&end_);
    return out;
  }

  /// Makes the tokens such that all of them fit, and returns the places behind them; nullopt where that takes too many
  /// changes.
  std::optional<Recognizer::Places> passMistakes() {
    Recognizer::Places places = recognizer_.start(true);
    int mistakes = 0;
    for (auto at = tokens_.begin(); at != tokens_.end();) {
      Recognizer::Places behind = places;
      if (recognizer_.advance(behind, (*at)->getType())) {
        places = std::move(behind);
        ++at;
        continue;
      }
      if (++mistakes > kMaxMistakes) return std::nullopt;
      behind = places;
      if (recognizer_.advance(behind, P::SEMI))
        at = tokens_.insert(at, &make(P::SEMI));
      else
        at = tokens_.erase(at);
    }
    return places;
  }

  void askForNames() {
    antlr4::Token& name = make(P::IDENT);
    const Attempt attempt(with({&name, &stop_}));
    if (attempt.stoppedAt() != &stop_) return;
    antlr4::tree::ParseTree* around = attempt.around(name);
    const Meaning meaning = meaningAt(around);
    out_.names = meaning.names;
    extendWord();
    noteValues(around);
    if (meaning.test != nullptr && meaning.names == Names::AttributeTest)
      out_.operators =
          AstBuilder(0, text_, unheard_).operators(*dynamic_cast<P::TermContext&>(*meaning.test->parent).atom());
  }

  bool touches(size_t i) const {
    return endOf(*tokens_[i]) == (i + 1 == tokens_.size() ? out_.begin : beginOf(*tokens_[i + 1]));
  }

  /// Takes the parts of a name in front of the word: a domain, `grid.`, `add-`.
  void extendWord() {
    const bool dashes = out_.names == Names::Rule || out_.names == Names::Category;
    size_t i = tokens_.size();
    // Around `::` there may be blanks.
    const auto isJoint = [&](size_t at) {
      const size_t type = tokens_[at]->getType();
      if (!dashes && type == P::COLONCOLON) return true;
      return touches(at) && touches(at - 1) && type == (dashes ? P::MINUS : P::DOT);
    };
    while (i >= 2 && isJoint(i - 1) &&
           (isWordToken(tokens_[i - 2]->getType()) || tokens_[i - 2]->getType() == P::STRING ||
            tokens_[i - 2]->getType() == P::STAR))
      i -= 2;
    if (i < tokens_.size()) out_.begin = beginOf(*tokens_[i]);
  }

  void noteValues(antlr4::tree::ParseTree* node) {
    AstBuilder builder(0, text_, unheard_);
    const auto note = [&](P::IdentContext* ident) {
      if (ident == nullptr || ident->stop == nullptr) return;
      const std::string name = builder.name(*ident).text;
      if (!name.empty() && name != "_" && std::ranges::find(out_.values, name) == out_.values.end())
        out_.values.push_back(name);
    };
    for (; node != nullptr; node = node->parent) {
      P::ParamsContext* params = nullptr;
      P::BlockContext* block = nullptr;
      if (auto* match = dynamic_cast<P::MatchAltContext*>(node)) {
        params = match->params();
        block = match->block();
      } else if (auto* fragment = dynamic_cast<P::FragmentDeclContext*>(node)) {
        params = fragment->params();
        block = fragment->block();
      } else if (auto* lower = dynamic_cast<P::LowerDeclContext*>(node)) {
        block = lower->block();
        if (lower->lowerParams() != nullptr)
          for (auto* param : lower->lowerParams()->lowerParam()) note(param->ident());
      }
      if (params != nullptr)
        for (auto* param : params->param()) note(param->ident());
      if (block == nullptr) continue;
      // A statement that the name begins, or that is around it, defines nothing for it.
      for (auto* statement : block->statement())
        if (auto* targets = statement->targets(); targets != nullptr && statement->SEMI() != nullptr)
          for (auto* ident : targets->ident()) note(ident);
    }
  }

  std::string_view text_;
  LexedText read_;
  Recognizer recognizer_;
  Writable out_;
  Tokens tokens_;
  uint32_t lastEnd_ = 0;
  /// Of the trees, whose texts parsed.
  DiagnosticEngine unheard_;
  std::deque<antlr4::CommonToken> made_;
  // No rule of the grammar has it.
  antlr4::CommonToken stop_{P::UNKNOWN};
  antlr4::CommonToken end_{antlr4::Token::EOF};
};

}  // namespace

Writable writableAt(std::string_view text, uint32_t offset) { return Place(text, offset).find(); }

}  // namespace amdahlc::grammar
