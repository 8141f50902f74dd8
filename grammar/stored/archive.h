/// The members of rules, which are packed. Private to this component.
#pragma once

#include "ir/rules.h"
#include "support/archive.h"

namespace amdahlc::ir {

AMDAHLC_MEMBERS(Expr, kind, args, text, integer, real, range)
AMDAHLC_MEMBERS(OperatorName, domain, type)
AMDAHLC_MEMBERS(OperatorSet, any, none)
AMDAHLC_MEMBERS(ConstantTest, equals, test)
AMDAHLC_MEMBERS(PatternValue::Definition, alias, index, output)
AMDAHLC_MEMBERS(PatternValue, name, kind, optional, shared, constant, definitions)
AMDAHLC_MEMBERS(PatternNode, operators, min, max, operands, moreOperands, anyOrder, outputs, attributes, view)
AMDAHLC_MEMBERS(Pattern, values, nodes, results, anchor, where)
AMDAHLC_MEMBERS(Applicability, runtimes, vendors, archs)
AMDAHLC_MEMBERS(KernelStep, test, min, max)
AMDAHLC_MEMBERS(LaunchSequence, steps, anyOrder, operators, operatorPatterns, where)
AMDAHLC_MEMBERS(Rule, name, label, category, doc, file, priority, where, recompute, generated, noDeviceWork, namesOnly,
                patterns, launches, range)
AMDAHLC_MEMBERS(Views, where, operators)
AMDAHLC_MEMBERS(Lowering::Parameter, kind, optional, name, behindMore)
AMDAHLC_MEMBERS(Lowering::Attribute, name, value)
AMDAHLC_MEMBERS(Lowering::Operand, kind, index)
AMDAHLC_MEMBERS(Lowering::Operator, name, operands, attributes)
AMDAHLC_MEMBERS(Lowering, calls, parameters, moreTensors, passesMore, ops, where, range)
AMDAHLC_MEMBERS(RuleSet, rules, lowerings, hidden, views)

}  // namespace amdahlc::ir
