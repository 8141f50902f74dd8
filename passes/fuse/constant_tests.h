/// The tests that patterns put to constants.
#pragma once

#include "ir/constants.h"
#include "ir/expression/expression.h"
#include "ir/module.h"

namespace amdahlc {

class MatchScope;

/// Whether every element equals `expected` within 1e-3 relative; false for unknown data.
bool constantEquals(const ir::ConstantView& constant, double expected);

/// Whether `test` accepts `constant`, the value `value`. A test of elements must accept each known element, and there
/// must be one.
bool constantSatisfies(const expression::Expression& test, const ir::ConstantView& constant, ir::ValueId value,
                       MatchScope scope);

}  // namespace amdahlc
