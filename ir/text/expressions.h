/// Spelling of expressions in the text form, shared by printer and parser.
#pragma once

#include <optional>
#include <string_view>

#include "ir/rules.h"

namespace amdahlc::ir {

/// `==`, `and`, `+`, ...; empty for leaves and calls.
std::string_view operatorText(Expr::Kind kind);
/// Inverse of `operatorText` for infix operators (n-ary `and`, `or`; the others binary), without `in`.
std::optional<Expr::Kind> infixKind(std::string_view text);
/// Words that a name cannot be without saying so: `name "and"`.
bool isExpressionWord(std::string_view text);
/// Whether the number of arguments suits the kind.
bool hasValidArity(const Expr& expr);

/// The pattern language reads at most as many tokens.
inline constexpr int kMaxExpressionDepth = 1000;

}  // namespace amdahlc::ir
