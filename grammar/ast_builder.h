/// Builds the syntax tree from the parse tree. Private to this component: it needs the generated parser.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "AkpParser.h"
#include "antlr4-runtime.h"
#include "grammar/ast.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar {

/// The declarations of a tree without error nodes. `guesses`: text whose meaning is a guess; a declaration with such
/// text is broken.
ast::File buildAst(generated::AkpParser::FileContext& tree, const std::vector<SourceRange>& guesses,
                   antlr4::CommonTokenStream& tokens, BufferId buffer, const SourceManager& sources,
                   DiagnosticEngine& diagnostics);

/// Builds parts of declarations. Reports text that the grammar accepts but the language does not.
class AstBuilder {
 public:
  using P = generated::AkpParser;

  AstBuilder(BufferId buffer, std::string_view text, DiagnosticEngine& diagnostics)
      : buffer_(buffer), text_(text), diagnostics_(diagnostics) {}

  // expressions
  ir::Expr expression(P::ExprContext& context);
  double real(antlr4::Token& token);
  double number(P::NumberContext& context);
  std::string string(antlr4::Token& token);
  std::string regex(antlr4::Token& token);
  int64_t integer(antlr4::Token& token);
  uint32_t repeatCount(antlr4::Token& token);
  /// `{2}`, `{2,}`, `{2,5}`; max 0 is unbounded.
  std::pair<uint32_t, uint32_t> counts(P::CountContext& context);

  // names
  ast::Name name(P::IdentContext& context);
  ast::Name ruleName(P::RuleNameContext& context);
  ast::OperatorRef operatorRef(P::OperatorNameContext& context);
  std::vector<ast::OperatorRef> operatorRefs(const std::vector<P::OperatorNameContext*>& contexts) {
    std::vector<ast::OperatorRef> out;
    for (auto* context : contexts) out.push_back(operatorRef(*context));
    return out;
  }

  // patterns
  /// The operators that are named before operands.
  std::vector<ast::OperatorRef> operators(P::AtomContext& context);
  ast::Term term(P::TermContext& context);
  std::vector<ast::Parameter> parameters(P::LowerParamsContext& context);
  ast::Pattern pattern(antlr4::ParserRuleContext& whole, P::ParamsContext* params, P::BlockContext* block,
                       P::ResultsContext& results);
  /// Of a lowering.
  ast::Pattern lowering(P::LowerDeclContext& context);

  // kernels
  ast::Launch launch(P::LaunchContext& context);
  void condition(P::ConditionContext& context, ast::Launch& into);
  /// The targets that views or lowerings are limited to. `what` they are, for messages.
  std::vector<ast::Applies> places(const std::vector<P::ConditionContext*>& conditions, std::string_view what);
  /// Of a declaration, a member or a condition.
  ast::Applies applies(antlr4::ParserRuleContext& context, P::TargetListContext& names);
  std::vector<ast::Name> targets(P::TargetListContext& context);
  ast::RuleBody body(const std::vector<P::MemberContext*>& members);

  SourceRange range(const antlr4::ParserRuleContext& context) const;
  SourceRange range(const antlr4::Token& token) const;
  std::string textOf(SourceRange range) const {
    return std::string(text_.substr(range.begin, range.end - range.begin));
  }

 private:
  ir::Expr conjunction(P::ConjunctionContext& context);
  ir::Expr alternatives(P::AlternativesContext& context);
  ir::Expr negation(P::NegationContext& context);
  ir::Expr comparison(P::ComparisonContext& context);
  ir::Expr membership(ir::Expr tested, P::ValueSetContext& set, SourceRange whole);
  template <typename Parts, typename Make>
  ir::Expr arithmetic(const antlr4::ParserRuleContext& context, const Parts& parts, const Make& make);
  ir::Expr sum(P::SumContext& context);
  ir::Expr product(P::ProductContext& context);
  ir::Expr unary(P::UnaryContext& context);
  ir::Expr primary(P::PrimaryContext& context);
  ast::Term atom(P::AtomContext& context);
  ast::Term group(P::AtomContext& context);
  bool operatorsOf(const ast::Term& term, std::vector<ast::OperatorRef>& into);
  std::vector<ast::Term> operands(P::ArgsContext& context);
  void statement(P::StatementContext& context, ast::Pattern& into);
  void member(P::MemberContext& context, ast::RuleBody& into);
  /// Of several, the first counts.
  template <typename Part>
  void setOnce(std::optional<Part>& slot, Part value, std::string_view what) {
    if (slot)
      reportTwice(value.range, slot->range, what);
    else
      slot = std::move(value);
  }
  void reportTwice(SourceRange second, SourceRange first, std::string_view what);
  void givenTwice(antlr4::ParserRuleContext& second, SourceRange first, std::string_view what,
                  std::string_view instead);

  BufferId buffer_;
  std::string_view text_;
  DiagnosticEngine& diagnostics_;
  /// Operators have attributes, and no tests of them.
  bool lowers_ = false;
  /// The next comparison is an attribute with its value.
  bool definesAttribute_ = false;
};

}  // namespace amdahlc::grammar
