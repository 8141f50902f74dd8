// Expressions, literals and names.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "grammar/ast_builder.h"
#include "grammar/written_tokens.h"
#include "grammar/wrong_spellings.h"
#include "ir/domain.h"
#include "ir/text/escape.h"
#include "support/limits.h"
#include "support/utf8.h"

namespace amdahlc::grammar {
namespace {

using P = AstBuilder::P;
using Kind = ir::Expr::Kind;

ir::Expr leaf(Kind kind, SourceRange range, std::string text = {}, int64_t integer = 0, double real = 0) {
  return {kind, {}, std::move(text), integer, real, range};
}

ir::Expr compound(Kind kind, SourceRange range, std::vector<ir::Expr> args, std::string text = {}) {
  return {kind, std::move(args), std::move(text), 0, 0, range};
}

/// The same, of one or two arguments: a list of them would copy.
template <typename... Args>
ir::Expr compound(Kind kind, SourceRange range, ir::Expr first, Args... more) {
  ir::Expr expr = leaf(kind, range);
  expr.args.push_back(std::move(first));
  (expr.args.push_back(std::move(more)), ...);
  return expr;
}

/// What one part is by itself, and several are together.
template <typename Parts, typename Make>
ir::Expr together(Kind kind, SourceRange range, const Parts& parts, const Make& make) {
  std::vector<ir::Expr> made;
  for (auto* part : parts) made.push_back(make(*part));
  return made.size() == 1 ? std::move(made.front()) : compound(kind, range, std::move(made));
}

SourceRange joined(const SourceRange& a, const SourceRange& b) { return {a.buffer, a.begin, b.end}; }

}  // namespace

SourceRange AstBuilder::range(const antlr4::Token& token) const { return rangeOf(buffer_, token); }

SourceRange AstBuilder::range(const antlr4::ParserRuleContext& context) const {
  const auto begin = static_cast<uint32_t>(context.start->getStartIndex());
  // A grammar rule that matched no token ends before it starts.
  const bool isEmpty = context.stop == nullptr || context.stop->getStopIndex() + 1 < begin + 1;
  return {buffer_, begin, isEmpty ? begin : rangeOf(buffer_, *context.stop).end};
}

std::string AstBuilder::string(antlr4::Token& token) {
  const SourceRange where = range(token);
  std::string quoted = textOf(where);
  std::string inside = quoted.substr(1, std::max(quoted.size(), size_t{2}) - 2);
  // In single quotes, or not closed: these are errors already.
  if (quoted.front() == '\'') quoted = inDoubleQuotes(inside);
  std::string_view rest = quoted;
  ir::UnquoteError error;
  std::optional<std::string> value = ir::consumeQuoted(rest, error);
  if (!value && error.offset == 0) return inside;
  const auto at = where.begin + static_cast<uint32_t>(error.offset);
  if (!value) {
    diagnostics_.error(DiagId::AkpSyntax, SourceRange{buffer_, at, std::min(at + 2, where.end)}, error.what);
    return inside;
  }
  for (std::string_view text = *value; !text.empty(); text.remove_prefix(utf8::sequenceLength(text))) {
    if (utf8::sequenceLength(text) != 0 && text.front() != '\0') continue;
    diagnostics_.error(DiagId::AkpSyntax, where, "with its escapes the string is not UTF-8 text");
    return inside;
  }
  return std::move(*value);
}

std::string AstBuilder::regex(antlr4::Token& token) {
  const SourceRange where = range(token);
  std::string out;
  for (uint32_t i = where.begin + 1; i + 1 < where.end; ++i) {
    if (text_[i] == '\\' && text_[i + 1] == '/')
      ++i;
    else if (text_[i] == '\\' && i + 2 < where.end)
      out.push_back(text_[i++]);
    out.push_back(text_[i]);
  }
  return out;
}

int64_t AstBuilder::integer(antlr4::Token& token) {
  const std::string digits = textOf(range(token));
  int64_t value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
    diagnostics_.error(DiagId::AkpExpression, range(token), "number does not fit 64 bits");
  return value;
}

uint32_t AstBuilder::repeatCount(antlr4::Token& token) {
  const int64_t value = integer(token);
  if (value <= limits::kRepetitions) return static_cast<uint32_t>(value);
  diagnostics_.error(DiagId::AkpExpression, range(token),
                     fmt::format("count {} is more than {}", value, limits::kRepetitions));
  return 1;
}

std::pair<uint32_t, uint32_t> AstBuilder::counts(P::CountContext& context) {
  const uint32_t min = repeatCount(*context.INT(0)->getSymbol());
  uint32_t max = min;
  if (context.COMMA() != nullptr) max = context.INT().size() == 2 ? repeatCount(*context.INT(1)->getSymbol()) : 0;
  const bool unbounded = context.COMMA() != nullptr && context.INT().size() == 1;
  if (!unbounded && (max == 0 || max < min)) {
    diagnostics_.error(DiagId::AkpExpression, range(context),
                       max == 0 ? "count of zero" : fmt::format("count from {} to {} is empty", min, max));
    return {1, 1};
  }
  return {min, max};
}

double AstBuilder::real(antlr4::Token& token) {
  const std::string digits = textOf(range(token));
  double value = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc{})
    diagnostics_.error(DiagId::AkpExpression, range(token), "number does not fit a double");
  return value;
}

double AstBuilder::number(P::NumberContext& context) {
  const double value = real(*(context.INT() != nullptr ? context.INT() : context.FLOAT())->getSymbol());
  return context.MINUS() != nullptr ? -value : value;
}

ast::Name AstBuilder::name(P::IdentContext& context) { return {textOf(range(context)), range(context)}; }

ast::Name AstBuilder::ruleName(P::RuleNameContext& context) {
  ast::Name out{"", range(context)};
  if (context.STRING() != nullptr) {
    out.text = string(*context.STRING()->getSymbol());
    if (out.text.empty()) diagnostics_.error(DiagId::AkpRule, out.range, "empty name");
    return out;
  }
  out.text = textOf(out.range);
  if (const size_t space = out.text.find_first_of(" \t\r\n/"); space != std::string::npos) {
    diagnostics_.error(DiagId::AkpRule, out.range,
                       "the parts of a name with `-` must touch; otherwise write it in quotes");
    std::erase_if(out.text,
                  [](char c) { return c != '-' && c != '_' && (std::isalnum(static_cast<unsigned char>(c)) == 0); });
  }
  return out;
}

ast::OperatorRef AstBuilder::operatorRef(P::OperatorNameContext& context) {
  ast::OperatorRef out;
  out.range = range(context);
  out.type = context.ident() != nullptr ? textOf(range(*context.ident())) : "*";
  if (auto* domain = context.domain()) {
    if (domain->STRING() != nullptr) {
      out.domain = string(*domain->STRING()->getSymbol());
    } else {
      out.domain.emplace();
      for (const char c : textOf(range(*domain)))
        if (std::isspace(static_cast<unsigned char>(c)) == 0) out.domain->push_back(c);
    }
    out.domain = std::string(ir::ownDomain(*out.domain));
  }
  return out;
}

ir::Expr AstBuilder::expression(P::ExprContext& context) {
  if (context.stop->getTokenIndex() - context.start->getTokenIndex() >= limits::kExpressionTokens) {
    diagnostics_.error(DiagId::AkpTooLarge, range(context),
                       fmt::format("expression of more than {} tokens", limits::kExpressionTokens));
    return leaf(Kind::Bool, range(context));
  }
  return together(Kind::Or, range(context), context.conjunction(), [&](auto& part) { return conjunction(part); });
}

ir::Expr AstBuilder::conjunction(P::ConjunctionContext& context) {
  return together(Kind::And, range(context), context.alternatives(), [&](auto& part) { return alternatives(part); });
}

ir::Expr AstBuilder::alternatives(P::AlternativesContext& context) {
  return together(Kind::Or, range(context), context.negation(), [&](auto& part) { return negation(part); });
}

ir::Expr AstBuilder::negation(P::NegationContext& context) {
  ir::Expr expr = comparison(*context.comparison());
  for (auto* bang : context.BANG()) {
    const SourceRange place = range(*bang->getSymbol());
    diagnostics_.error(DiagId::AkpSyntax, place, "`!` excludes operators; a condition is negated by `not`")
        .fix(place, setApart("not", text_, place));
  }
  if ((context.NOT().size() + context.BANG().size()) % 2 == 0) return expr;
  return compound(Kind::Not, range(context), std::move(expr));
}

ir::Expr AstBuilder::comparison(P::ComparisonContext& context) {
  const bool defines = std::exchange(definesAttribute_, false);
  ir::Expr left = sum(*context.sum(0));
  std::optional<Kind> pending;
  bool negated = false;
  bool compared = false;
  for (size_t i = 1; i < context.children.size(); ++i) {
    if (auto* terminal = dynamic_cast<antlr4::tree::TerminalNode*>(context.children[i])) {
      antlr4::Token& token = *terminal->getSymbol();
      if (token.getType() == P::NOT) {
        negated = true;
        continue;
      }
      if (compared) {
        diagnostics_.error(DiagId::AkpExpression, range(token), "comparisons do not chain; join two with `and`");
        return leaf(Kind::Bool, range(context));
      }
      compared = true;
      const auto written = token.getType();
      if (defines && written == P::EQ)
        diagnostics_.error(DiagId::AkpSyntax, range(token), "`==` compares; `=` defines an attribute")
            .fix(range(token), "=");
      if (!defines && written == P::ASSIGN)
        diagnostics_.error(DiagId::AkpSyntax, range(token), "`=` defines; `==` compares").fix(range(token), "==");
      if (token.getType() != P::IN) pending = ir::infixKind(textOf(range(token))).value_or(Kind::Eq);
      continue;
    }
    if (auto* set = dynamic_cast<P::ValueSetContext*>(context.children[i])) {
      left = membership(std::move(left), *set, range(context));
      if (negated) left = compound(Kind::Not, range(context), std::move(left));
      continue;
    }
    ir::Expr right = sum(dynamic_cast<P::SumContext&>(*context.children[i]));
    left = compound(*pending, range(context), std::move(left), std::move(right));
  }
  return left;
}

/// `x in (a, 2..5)`: values stay a list, ranges become two comparisons.
ir::Expr AstBuilder::membership(ir::Expr tested, P::ValueSetContext& set, SourceRange whole) {
  auto between = [&](ir::Expr low, ir::Expr high) {
    return compound(Kind::And, whole, compound(Kind::Ge, whole, tested, std::move(low)),
                    compound(Kind::Le, whole, tested, std::move(high)));
  };
  auto literal = [&](P::NumberContext& context) {
    if (context.INT() == nullptr) return leaf(Kind::Float, range(context), {}, 0, number(context));
    const int64_t value = integer(*context.INT()->getSymbol());
    return leaf(Kind::Int, range(context), {}, context.MINUS() != nullptr ? -value : value);
  };
  if (set.DOTDOT() != nullptr) return between(literal(*set.number(0)), literal(*set.number(1)));

  std::vector<ir::Expr> listed{tested};
  std::vector<ir::Expr> choices;
  for (auto* item : set.valueRange())
    if (item->DOTDOT() == nullptr)
      listed.push_back(sum(*item->sum(0)));
    else
      choices.push_back(between(sum(*item->sum(0)), sum(*item->sum(1))));
  if (listed.size() > 1) choices.insert(choices.begin(), compound(Kind::In, whole, std::move(listed)));
  return choices.size() == 1 ? std::move(choices.front()) : compound(Kind::Or, whole, std::move(choices));
}

/// The parts of `context`, with arithmetic operators between them. The first operator binds its operands first.
template <typename Parts, typename Make>
ir::Expr AstBuilder::arithmetic(const antlr4::ParserRuleContext& context, const Parts& parts, const Make& make) {
  ir::Expr left = make(*parts.front());
  for (size_t i = 1; i < parts.size(); ++i) {
    auto& written = dynamic_cast<antlr4::tree::TerminalNode&>(*context.children[2 * i - 1]);
    ir::Expr right = make(*parts[i]);
    const SourceRange whole = joined(left.range, right.range);
    left = compound(*ir::infixKind(textOf(range(*written.getSymbol()))), whole, std::move(left), std::move(right));
  }
  return left;
}

ir::Expr AstBuilder::sum(P::SumContext& context) {
  return arithmetic(context, context.product(), [&](auto& part) { return product(part); });
}

ir::Expr AstBuilder::product(P::ProductContext& context) {
  return arithmetic(context, context.unary(), [&](auto& part) { return unary(part); });
}

ir::Expr AstBuilder::unary(P::UnaryContext& context) {
  ir::Expr expr = primary(*context.primary());
  if (context.MINUS().size() % 2 == 0) return expr;
  expr.range = range(context);
  if (expr.kind == Kind::Int) {
    expr.integer = -expr.integer;
    return expr;
  }
  if (expr.kind == Kind::Float) {
    expr.real = -expr.real;
    return expr;
  }
  return compound(Kind::Neg, range(context), std::move(expr));
}

ir::Expr AstBuilder::primary(P::PrimaryContext& context) {
  const SourceRange where = range(context);
  if (context.INT() != nullptr) return leaf(Kind::Int, where, {}, integer(*context.INT()->getSymbol()));
  if (context.FLOAT() != nullptr) return leaf(Kind::Float, where, {}, 0, real(*context.FLOAT()->getSymbol()));
  if (context.STRING() != nullptr) return leaf(Kind::String, where, string(*context.STRING()->getSymbol()));
  if (context.REGEX() != nullptr) return leaf(Kind::Regex, where, regex(*context.REGEX()->getSymbol()));
  if (context.TRUE() != nullptr || context.FALSE() != nullptr)
    return leaf(Kind::Bool, where, {}, context.TRUE() != nullptr ? 1 : 0);
  std::vector<ir::Expr> args;
  for (auto* arg : context.expr()) args.push_back(expression(*arg));
  if (context.ident().empty()) {
    if (context.LPAREN() != nullptr) return std::move(args.front());
    return compound(Kind::Call, where, std::move(args), std::string(ir::kListConstructor));
  }
  if (context.LPAREN() != nullptr) return compound(Kind::Call, where, std::move(args), name(*context.ident(0)).text);
  std::string dotted;
  for (auto* part : context.ident()) dotted += (dotted.empty() ? "" : ".") + name(*part).text;
  return leaf(Kind::Name, where, std::move(dotted));
}

}  // namespace amdahlc::grammar
