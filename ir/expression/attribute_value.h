/// Attributes as values of expressions.
#pragma once

#include <string_view>

#include "ir/expression/leaves.h"

namespace amdahlc::expression {

/// An attribute of `op` or its default; unknown where there is neither, or where it is no number, string or list of
/// them.
Value attributeValue(const MatchLeaves& leaves, ir::OpId op, std::string_view name);

}  // namespace amdahlc::expression
