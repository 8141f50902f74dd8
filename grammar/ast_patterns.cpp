// Terms and patterns. `(A | B)` has the same syntax for operators and for terms. The next token decides which it is.

#include "grammar/ast_builder.h"

namespace amdahlc::grammar {
namespace {

using P = AstBuilder::P;
using TermKind = ast::Term::Kind;

/// Cheaper than to look for a token among the children.
bool startsWith(const antlr4::ParserRuleContext& context, size_t type) { return context.start->getType() == type; }

}  // namespace

/// The operators of a term that consists of names joined by `|`. False for any other term.
bool AstBuilder::operatorsOf(const ast::Term& term, std::vector<ast::OperatorRef>& into) {
  if (term.optional || term.counted || !term.attributes.empty()) return false;
  switch (term.kind) {
    case TermKind::Value:
      into.push_back({std::nullopt, term.name.text, term.range});
      return true;
    case TermKind::Any:
      into.push_back({std::nullopt, "*", term.range});
      return true;
    case TermKind::Operators:
      if (!term.operators.none.empty()) return false;
      into.insert(into.end(), term.operators.any.begin(), term.operators.any.end());
      return true;
    case TermKind::Alternatives:
      for (const ast::Term& part : term.terms)
        if (!operatorsOf(part, into)) return false;
      return true;
    default:
      return false;
  }
}

ast::Term AstBuilder::atom(P::AtomContext& context) {
  ast::Term out;
  out.range = range(context);
  if (startsWith(context, P::CONST)) {
    out.kind = TermKind::Constant;
    if (auto* test = context.constArg()) {
      if (test->number() != nullptr)
        out.constant.equals = number(*test->number());
      else
        out.constant.test = expression(*test->expr());
    }
    return out;
  }
  if (auto* written = context.operatorName()) {
    const ast::OperatorRef ref = operatorRef(*written);
    if (ref.domain) {
      out.kind = TermKind::Operators;
      out.operators.any.push_back(ref);
      out.operators.range = ref.range;
      return out;
    }
    out.kind = ref.type == "_" || ref.type == "*" ? TermKind::Any : TermKind::Value;
    out.name = {ref.type, ref.range};
    return out;
  }
  return group(context);
}

std::vector<ast::OperatorRef> AstBuilder::operators(P::AtomContext& context) {
  ast::Term written = atom(context);
  if (written.kind != TermKind::Operators) operatorsOf(written, written.operators.any);
  return std::move(written.operators.any);
}

ast::Term AstBuilder::group(P::AtomContext& context) {
  std::vector<ast::Term> before, after;
  bool but = false;
  for (auto* child : context.children)
    if (auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(child))
      but = but || terminal->getSymbol()->getType() == P::BUT;
    else
      (but ? after : before).push_back(term(dynamic_cast<P::TermContext&>(*child)));
  ast::Term out;
  if (but) {
    out.kind = TermKind::Operators;
    out.operators.range = range(context);
    bool names = true;
    for (const ast::Term& part : before) names = operatorsOf(part, out.operators.any) && names;
    for (const ast::Term& part : after) names = operatorsOf(part, out.operators.none) && names;
    if (!names)
      diagnostics_.error(DiagId::AkpPattern, range(context),
                         "`but` belongs between names of operators, as in `(any but Gelu | Erf)`");
    if (out.operators.any.size() == 1 && !out.operators.any.front().domain && out.operators.any.front().type == "any")
      out.operators.any.clear();
  } else if (!context.COMMA().empty()) {
    out.kind = TermKind::List;
    out.terms = std::move(before);
  } else if (before.size() == 1) {
    out = std::move(before.front());
  } else {
    out.kind = TermKind::Alternatives;
    out.terms = std::move(before);
  }
  out.range = range(context);
  return out;
}

std::vector<ast::Term> AstBuilder::operands(P::ArgsContext& context) {
  std::vector<ast::Term> out;
  for (auto* arg : context.arg()) {
    ast::Term operand;
    operand.range = range(*arg);
    if (auto* written = arg->term()) {
      operand = term(*written);
    } else if (arg->ELLIPSIS() != nullptr) {
      operand.kind = TermKind::Rest;
      if (arg->ident() != nullptr) operand.name = name(*arg->ident());
      if (arg != context.arg().back())
        diagnostics_.error(DiagId::AkpPattern, operand.range,
                           "`...` stands for the last operands; no operand can follow it");
    } else {
      operand.kind = TermKind::Omitted;
    }
    out.push_back(std::move(operand));
  }
  if (out.size() == 1 && out.front().kind == TermKind::Omitted) out.clear();  // `Op()`
  return out;
}

ast::Term AstBuilder::term(P::TermContext& context) {
  ast::Term out = atom(*context.atom());
  const bool negated = startsWith(context, P::BANG);
  bool called = false;
  std::optional<std::pair<uint32_t, uint32_t>> count;
  SourceRange countRange;
  for (auto* postfix : context.postfix()) {
    const SourceRange where = range(*postfix);
    P::CountContext* written = startsWith(*postfix, P::LBRACE) ? postfix->count() : nullptr;
    const bool repeats = startsWith(*postfix, P::STAR) || startsWith(*postfix, P::PLUS) || written != nullptr;
    if (repeats) {
      if (called || count) {
        diagnostics_.error(DiagId::AkpPattern, where,
                           "a count belongs between the operator and its operands, as in `View*(x)`");
        continue;
      }
      countRange = where;
      count = written != nullptr ? counts(*written)
                                 : std::pair<uint32_t, uint32_t>{startsWith(*postfix, P::PLUS) ? 1 : 0, 0};
    } else if (startsWith(*postfix, P::LPAREN)) {
      ast::OperatorChoice choice = out.kind == TermKind::Operators ? out.operators : ast::OperatorChoice{};
      choice.range = out.range;
      if (called || (out.kind != TermKind::Operators && !operatorsOf(out, choice.any))) {
        diagnostics_.error(DiagId::AkpPattern, where,
                           called ? "operands are given twice" : "operands follow an operator, a class or a fragment");
        continue;
      }
      if (negated) {
        if (!choice.none.empty()) diagnostics_.error(DiagId::AkpPattern, out.range, "`!` and `but` exclude each other");
        choice.none = std::move(choice.any);
        choice.any.clear();
      }
      ast::Term call;
      call.kind = TermKind::Call;
      call.operators = std::move(choice);
      call.terms = operands(*postfix->args());
      out = std::move(call);
      called = true;
    } else if (startsWith(*postfix, P::QUESTION)) {
      if (out.optional) diagnostics_.error(DiagId::AkpPattern, where, "`?` is given twice");
      if (!called && count) diagnostics_.error(DiagId::AkpPattern, where, "`?` follows the operands, as in `Cast(x)?`");
      out.optional = true;
    } else if (!called) {
      diagnostics_.error(DiagId::AkpPattern, where,
                         "attribute tests follow an operator with its operands, as in `Softmax(x) { axis == -1 }`");
    } else {
      for (auto* test : postfix->expr()) {
        definesAttribute_ = lowers_;
        out.attributes.push_back(expression(*test));
        definesAttribute_ = false;
      }
    }
  }
  if (!called && (count || negated))
    diagnostics_.error(DiagId::AkpPattern, count ? countRange : range(context),
                       "an operator needs its operands, as in `View*(x)` or `!Gelu(x)`");
  if (called && count) {
    out.counted = true;
    std::tie(out.min, out.max) = *count;
  }
  out.range = range(context);
  return out;
}

ast::Pattern AstBuilder::lowering(P::LowerDeclContext& context) {
  lowers_ = true;
  ast::Pattern out = pattern(context, nullptr, context.block(), *context.results());
  lowers_ = false;
  out.parameters = parameters(*context.lowerParams());
  return out;
}

void AstBuilder::statement(P::StatementContext& context, ast::Pattern& into) {
  if (context.SHARED() != nullptr) {
    for (auto* ident : context.ident()) into.shared.push_back(name(*ident));
  } else if (context.ANCHOR() != nullptr) {
    setOnce(into.anchor, name(*context.ident(0)), "anchor");
  } else if (context.WHERE() != nullptr) {
    into.where.push_back(expression(*context.expr()));
  } else {
    ast::Definition definition;
    for (auto* ident : context.targets()->ident()) definition.targets.push_back(name(*ident));
    definition.term = term(*context.term());
    into.definitions.push_back(std::move(definition));
  }
}

std::vector<ast::Parameter> AstBuilder::parameters(P::LowerParamsContext& context) {
  std::vector<ast::Parameter> out;
  for (auto* param : context.lowerParam()) {
    ast::Parameter& made = out.emplace_back();
    made.name = param->ident() != nullptr ? name(*param->ident()) : ast::Name{"", range(*param)};
    made.optional = param->QUESTION() != nullptr;
    made.constant = param->CONST() != nullptr;
    made.rest = param->ELLIPSIS() != nullptr;
  }
  return out;
}

ast::Pattern AstBuilder::pattern(antlr4::ParserRuleContext& whole, P::ParamsContext* params, P::BlockContext* block,
                                 P::ResultsContext& results) {
  ast::Pattern out;
  out.range = range(whole);
  if (params != nullptr)
    for (auto* param : params->param()) out.parameters.push_back({name(*param->ident()), param->QUESTION() != nullptr});
  if (block != nullptr)
    for (auto* line : block->statement()) statement(*line, out);
  for (auto* result : results.term()) {
    ast::Term value = term(*result);
    if (value.kind == TermKind::List && results.term().size() == 1)
      out.results = std::move(value.terms);
    else
      out.results.push_back(std::move(value));
  }
  return out;
}

}  // namespace amdahlc::grammar
