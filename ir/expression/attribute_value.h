/// Converts an attribute of an ONNX operator, or its default, into a value of the expression language.
#pragma once

#include <string_view>

#include "ir/expression/leaves.h"

namespace amdahlc::expression {

/// An attribute of `op` or its default; unknown if there is neither, or if it is not a number, a string or a list of
/// them.
Value attributeValue(const MatchLeaves& leaves, ir::OpId op, std::string_view name);

}  // namespace amdahlc::expression
