#include "ir/text/expressions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace amdahlc::ir {

namespace {

using Kind = Expr::Kind;

constexpr std::pair<Kind, std::string_view> kInfix[] = {
    {Kind::And, "and"}, {Kind::Or, "or"}, {Kind::Eq, "=="}, {Kind::Ne, "!="}, {Kind::Lt, "<"},
    {Kind::Le, "<="},   {Kind::Gt, ">"},  {Kind::Ge, ">="}, {Kind::Add, "+"}, {Kind::Sub, "-"},
    {Kind::Mul, "*"},   {Kind::Div, "/"}, {Kind::Mod, "%"},
};
constexpr std::string_view kWords[] = {"and", "or", "not", "neg", "in", "true", "false", "name", "call", "inf", "nan"};

}  // namespace

std::string_view operatorText(Kind kind) {
  const auto found =
      std::find_if(std::begin(kInfix), std::end(kInfix), [&](const auto& row) { return row.first == kind; });
  return found == std::end(kInfix) ? std::string_view{} : found->second;
}

std::optional<Kind> infixKind(std::string_view text) {
  const auto found =
      std::find_if(std::begin(kInfix), std::end(kInfix), [&](const auto& row) { return row.second == text; });
  if (found == std::end(kInfix)) return std::nullopt;
  return found->first;
}

bool isExpressionWord(std::string_view text) {
  return std::find(std::begin(kWords), std::end(kWords), text) != std::end(kWords);
}

bool hasValidArity(const Expr& expr) {
  switch (expr.kind) {
    case Kind::And:
    case Kind::Or:
    case Kind::Call:
      return true;
    case Kind::Not:
    case Kind::Neg:
      return expr.args.size() == 1;
    case Kind::In:
      return !expr.args.empty();
    case Kind::Eq:
    case Kind::Ne:
    case Kind::Lt:
    case Kind::Le:
    case Kind::Gt:
    case Kind::Ge:
    case Kind::Add:
    case Kind::Sub:
    case Kind::Mul:
    case Kind::Div:
    case Kind::Mod:
      return expr.args.size() == 2;
    case Kind::Name:
    case Kind::Int:
    case Kind::Float:
    case Kind::String:
    case Kind::Regex:
    case Kind::Bool:
      return expr.args.empty();
  }
  return false;
}

}  // namespace amdahlc::ir
