#include "ir/expr.h"

#include <algorithm>

namespace amdahlc::ir {
namespace {

using Kind = Expr::Kind;

constexpr OperatorInfo kOperators[] = {
    {Kind::And, "and", true, Binding::And},      {Kind::Or, "or", true, Binding::Or},
    {Kind::Not, "not", false, Binding::Not},     {Kind::Eq, "==", true, Binding::Comparison},
    {Kind::Ne, "!=", true, Binding::Comparison}, {Kind::Lt, "<", true, Binding::Comparison},
    {Kind::Le, "<=", true, Binding::Comparison}, {Kind::Gt, ">", true, Binding::Comparison},
    {Kind::Ge, ">=", true, Binding::Comparison}, {Kind::In, "in", false, Binding::Comparison},
    {Kind::Add, "+", true, Binding::Sum},        {Kind::Sub, "-", true, Binding::Sum},
    {Kind::Mul, "*", true, Binding::Product},    {Kind::Div, "/", true, Binding::Product},
    {Kind::Mod, "%", true, Binding::Product},    {Kind::Neg, "-", false, Binding::Unary},
};

}  // namespace

const OperatorInfo* findOperator(Kind kind) {
  const auto* found = std::ranges::find(kOperators, kind, &OperatorInfo::kind);
  return found == std::end(kOperators) ? nullptr : found;
}

std::optional<Kind> infixKind(std::string_view spelling) {
  const auto* found =
      std::ranges::find_if(kOperators, [&](const OperatorInfo& row) { return row.infix && row.spelling == spelling; });
  if (found == std::end(kOperators)) return std::nullopt;
  return found->kind;
}

}  // namespace amdahlc::ir
