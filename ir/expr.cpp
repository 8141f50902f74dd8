#include "ir/expr.h"

#include <algorithm>

namespace amdahlc::ir {
namespace {

using Kind = Expr::Kind;
constexpr size_t kAny = OperatorInfo::kAnyCount;

constexpr OperatorInfo kOperators[] = {
    {Kind::And, "and", true, 0, kAny}, {Kind::Or, "or", true, 0, kAny}, {Kind::Not, "not", false, 1, 1},
    {Kind::Eq, "==", true, 2, 2},      {Kind::Ne, "!=", true, 2, 2},    {Kind::Lt, "<", true, 2, 2},
    {Kind::Le, "<=", true, 2, 2},      {Kind::Gt, ">", true, 2, 2},     {Kind::Ge, ">=", true, 2, 2},
    {Kind::In, "in", false, 1, kAny},  {Kind::Add, "+", true, 2, 2},    {Kind::Sub, "-", true, 2, 2},
    {Kind::Mul, "*", true, 2, 2},      {Kind::Div, "/", true, 2, 2},    {Kind::Mod, "%", true, 2, 2},
    {Kind::Neg, "-", false, 1, 1},
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
