/// Spelling of expressions in the text form, shared by printer and parser. Operators are those of `ir/expr.h`.
#pragma once

#include <optional>
#include <string_view>

#include "ir/expr.h"

namespace amdahlc::ir {

/// Whether the text form writes the operator as a call, because it can have less than two operands: `not(x)`, `neg(x)`,
/// `and()`.
std::optional<Expr::Kind> callOperator(std::string_view text);
/// Keywords. A name that is one of them is written `name "and"`.
bool isExpressionWord(std::string_view text);

}  // namespace amdahlc::ir
