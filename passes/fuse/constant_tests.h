/// Tests of constants in patterns.
#pragma once

#include "ir/constants.h"
#include "ir/expression/expression.h"
#include "ir/module.h"

namespace amdahlc {

class MatchScope;

/// Whether every element equals `expected` within 1e-3 relative; false for unknown data.
bool constantEquals(const ir::ConstantView& constant, double expected);

/// Whether `test` accepts `constant`, which is `value` in the module. A test of elements must accept each known
/// element, and at least one must be known.
bool constantSatisfies(const expression::Expression& test, const ir::ConstantView& constant, ir::ValueId value,
                       MatchScope scope);

}  // namespace amdahlc
