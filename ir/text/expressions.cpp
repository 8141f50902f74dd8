#include "ir/text/expressions.h"

#include <algorithm>

namespace amdahlc::ir {

namespace {

/// Words of the text form that are not operators.
constexpr std::string_view kWords[] = {"true", "false", "name", "call", "inf", "nan"};

}  // namespace

std::optional<Expr::Kind> callOperator(std::string_view text) {
  for (const OperatorInfo& row : expressionOperators())
    if (row.spelling == text && row.minOperands < 2 && row.kind != Expr::Kind::In) return row.kind;
  return std::nullopt;
}

bool isExpressionWord(std::string_view text) {
  return std::ranges::find(kWords, text) != std::end(kWords) ||
         std::ranges::find(expressionOperators(), text, &OperatorInfo::spelling) != expressionOperators().end();
}

}  // namespace amdahlc::ir
