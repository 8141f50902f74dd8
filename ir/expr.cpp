#include "ir/expr.h"

#include <algorithm>

namespace amdahlc::ir {
namespace {

using Kind = Expr::Kind;
constexpr size_t kAny = OperatorInfo::kAnyCount;

constexpr OperatorInfo kOperators[] = {
    {Kind::And, "and", true, Binding::And, 0, kAny},   {Kind::Or, "or", true, Binding::Or, 0, kAny},
    {Kind::Not, "not", false, Binding::Not, 1, 1},     {Kind::Eq, "==", true, Binding::Comparison, 2, 2},
    {Kind::Ne, "!=", true, Binding::Comparison, 2, 2}, {Kind::Lt, "<", true, Binding::Comparison, 2, 2},
    {Kind::Le, "<=", true, Binding::Comparison, 2, 2}, {Kind::Gt, ">", true, Binding::Comparison, 2, 2},
    {Kind::Ge, ">=", true, Binding::Comparison, 2, 2}, {Kind::In, "in", false, Binding::Comparison, 1, kAny},
    {Kind::Add, "+", true, Binding::Sum, 2, 2},        {Kind::Sub, "-", true, Binding::Sum, 2, 2},
    {Kind::Mul, "*", true, Binding::Product, 2, 2},    {Kind::Div, "/", true, Binding::Product, 2, 2},
    {Kind::Mod, "%", true, Binding::Product, 2, 2},    {Kind::Neg, "-", false, Binding::Unary, 1, 1},
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

bool hasValidArity(const Expr& expr) {
  if (expr.kind == Kind::Call) return true;
  const OperatorInfo* info = findOperator(expr.kind);
  if (info == nullptr) return expr.args.empty();
  return expr.args.size() >= info->minOperands && expr.args.size() <= info->maxOperands;
}

}  // namespace amdahlc::ir
